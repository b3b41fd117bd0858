// SPDX-License-Identifier: Apache-2.0
#include "device/module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "device/code_folder.h"

namespace opscope {
namespace {

constexpr const char* kProviderEntry = "opscope_create_provider";

// Stands where a module's provider would, and says why there is none.
class AbsentProvider : public DeviceProvider {
 public:
  AbsentProvider(std::string kind, Check check) : kind_(std::move(kind)), check_(std::move(check)) {}
  std::string kind() const override { return kind_; }
  std::vector<DeviceInfo> devices() override { return {}; }
  std::unique_ptr<Device> open(const std::string& id) override {
    throw NoSuchDevice(fmt::format("There is no device \"{}\": {}", id, check_.sentence), check_.remedy);
  }
  std::vector<Check> diagnose() override { return {check_}; }

 private:
  std::string kind_;
  Check check_;
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::unique_ptr<DeviceProvider> absent(const std::string& kind, std::string sentence, std::string remedy) {
  return std::make_unique<AbsentProvider>(
      kind, Check{Check::State::Missing, upper(kind) + " module", std::move(sentence), std::move(remedy)});
}

std::optional<std::filesystem::path> findModule(const std::string& fileName,
                                                const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / fileName, ignored)) return folder / fileName;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::filesystem::path> moduleFolders() {
  std::vector<std::filesystem::path> folders;
  if (const char* named = std::getenv("OPSCOPE_MODULE_PATH"); named != nullptr) {
    std::string_view rest = named;
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      if (!folder.empty()) folders.emplace_back(folder);
      rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    }
  }
  try {
    const std::filesystem::path program = programFolder();
    folders.push_back((program / "../lib/opscope").lexically_normal());
    folders.push_back((program / "../lib").lexically_normal());
    // A library of another program's has its modules beside it, or where the build put them.
    if (const auto code = codeFolder(); code != program) {
      folders.push_back(code);
      folders.push_back((code / "../../lib/opscope").lexically_normal());
    }
  } catch (const CannotRead&) {
    // Without /proc only the named folders are left; a module that is not in them is reported as missing.
  }
  return folders;
}

std::unique_ptr<DeviceProvider> loadModule(const std::string& kind,
                                           const std::vector<std::filesystem::path>& folders) {
  const std::string fileName = fmt::format("libopscope_{}.so", kind);
  const std::string label = upper(kind);
  const auto file = findModule(fileName, folders);
  if (!file) {
    std::vector<std::string> looked;
    for (const auto& folder : folders) looked.push_back(folder.string());
    return absent(kind,
                  fmt::format("This build has no {} module: {} is not in {}.", label, fileName,
                              looked.empty() ? "any folder" : fmt::format("{}", fmt::join(looked, ", "))),
                  fmt::format("Build Opscope where the {} toolkit is installed, or name the module's folder "
                              "in OPSCOPE_MODULE_PATH.",
                              label));
  }
  // Never closed: providers and devices live in it, and GPU libraries do not survive being unloaded.
  void* module = ::dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* reason = ::dlerror();
    return absent(kind,
                  fmt::format("The {} module {} does not load: {}.", label, file->string(),
                              reason != nullptr ? reason : "no reason given"),
                  "Install the library that it names, or build Opscope again.");
  }
  const auto create = reinterpret_cast<CreateDeviceProvider>(::dlsym(module, kProviderEntry));
  if (create == nullptr)
    return absent(kind, fmt::format("{} is no Opscope module: it lacks {}.", file->string(), kProviderEntry),
                  "Build Opscope again.");
  try {
    if (std::unique_ptr<DeviceProvider> provider{create(kModuleVersion)}) return provider;
  } catch (...) {
    return absent(
        kind,
        fmt::format("The {} module {} does not start: {}", label, file->string(), currentErrorInfo().message),
        "");
  }
  return absent(kind,
                fmt::format("The {} module {} belongs to another build of Opscope (version {} is needed).",
                            label, file->string(), kModuleVersion),
                "Install program and module from the same build.");
}

}  // namespace opscope
