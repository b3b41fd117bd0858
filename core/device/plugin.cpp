// SPDX-License-Identifier: Apache-2.0
#include "device/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "device/host/launches.h"
#include "device/opscope_plugin.h"
#include "device/stream_adopter.h"

namespace opscope {
namespace {

constexpr const char* kPluginEntry = "opscope_plugin_entry";
constexpr std::size_t kErrorBytes = 1024;

// What a plugin wrote into its buffer, which it may have forgotten to end or to write at all.
std::string sentenceOf(std::array<char, kErrorBytes>& error) {
  error.back() = '\0';
  const std::string text = error.data();
  return text.empty() ? "it does not say why" : text;
}

// An exception must not enter a library written in C.
int launchOnHost(void* stream, const char* name, void (*kernel)(void*), void* data) {
  try {
    if (stream == nullptr || kernel == nullptr) return 1;
    host::launch(*static_cast<Device*>(stream), name != nullptr ? name : "",
                 [kernel, data] { kernel(data); });
    return 0;
  } catch (...) {
    return 1;
  }
}

class PluginCall final : public Call {
 public:
  PluginCall(const opscope_plugin& functions, Device& device, std::string label, void* state)
      : functions_(functions), device_(device), label_(std::move(label)), state_(state) {
    adopter_ = dynamic_cast<StreamAdopter*>(&device);
  }
  ~PluginCall() override {
    try {
      device_.drain();
    } catch (...) {
      // A lost device has nothing in flight; the library gets its state back all the same.
    }
    functions_.destroy(state_);
  }
  void issue() override {
    std::array<char, kErrorBytes> error{};
    // A host device's own stream is named by the device: launchOnHost takes it.
    void* const stream = adopter_ != nullptr ? adopter_->mainStream() : static_cast<void*>(&device_);
    if (functions_.call(state_, stream, error.data(), error.size()) != 0) [[unlikely]]
      throw DeviceLost(fmt::format("{} refused a call: {}", label_, sentenceOf(error)),
                       "Correct the plugin, or leave the implementation out; then measure again.");
  }

 private:
  const opscope_plugin& functions_;
  Device& device_;
  StreamAdopter* adopter_;
  std::string label_;
  void* state_;
};

const opscope_plugin& entryOf(const std::filesystem::path& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    throw CannotRead(fmt::format("The plugin {} does not load: {}", file.string(),
                                 reason != nullptr ? reason : "no reason given"),
                     "Build it for this machine, and with the libraries that it needs.",
                     {file.string(), 0, 0});
  }
  const Place place{file.string(), 0, 0};
  const auto entry = reinterpret_cast<const opscope_plugin* (*)()>(::dlsym(library, kPluginEntry));
  if (entry == nullptr)
    throw BadInput(fmt::format("{} is no plugin: it lacks {}", file.string(), kPluginEntry),
                   "Export the function with C linkage, as opscope_plugin.h declares it.", place);
  const opscope_plugin* const plugin = entry();
  if (plugin == nullptr)
    throw BadInput(fmt::format("{} of {} returned nothing", kPluginEntry, file.string()), {}, place);
  if (plugin->abi != OPSCOPE_PLUGIN_ABI)
    throw BadInput(fmt::format("{} has version {} of the plugin interface, and this program has {}",
                               file.string(), plugin->abi, OPSCOPE_PLUGIN_ABI),
                   "Build it with this program's opscope_plugin.h.", place);
  if (plugin->size < sizeof(opscope_plugin))
    throw BadInput(
        fmt::format("The plugin {} says that its table has {} bytes, fewer than the {} of its version",
                    file.string(), plugin->size, sizeof(opscope_plugin)),
        "Set `size` to sizeof(opscope_plugin).", place);
  for (const auto& [name, there] :
       {std::pair{"prepare", plugin->prepare != nullptr}, std::pair{"call", plugin->call != nullptr},
        std::pair{"destroy", plugin->destroy != nullptr}})
    if (!there)
      throw BadInput(fmt::format("The plugin {} has no function \"{}\"", file.string(), name), {}, place);
  return *plugin;
}

}  // namespace

std::shared_ptr<const Plugin> Plugin::load(const std::filesystem::path& file) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::shared_ptr<const Plugin>> loaded;
  const std::lock_guard lock(mutex);
  std::error_code ignored;
  const auto path = std::filesystem::weakly_canonical(file, ignored);
  auto& plugin = loaded[path];
  if (!plugin) plugin = std::shared_ptr<const Plugin>(new Plugin(path, entryOf(path)));
  return plugin;
}

std::string Plugin::describe() const {
  if (functions_.describe == nullptr) return {};
  const char* const text = functions_.describe();
  return text != nullptr ? text : "";
}

std::unique_ptr<Call> Plugin::prepare(Device& device, const CallSpec& spec,
                                      const std::string& implementation) const {
  device.checkThread();
  const DeviceInfo& info = device.info();
  std::vector<std::string> dtypes;
  for (const TensorArg& tensor : spec.tensors) dtypes.emplace_back(nameOf(tensor.dtype));
  std::vector<opscope_tensor> tensors;
  for (const TensorArg& tensor : spec.tensors)
    tensors.push_back({tensor.name.c_str(), dtypes[tensors.size()].c_str(), tensor.memory->address(),
                       tensor.memory->bytes(), tensor.shape.data(),
                       static_cast<std::uint32_t>(tensor.shape.size())});
  std::vector<opscope_number> numbers;
  for (const auto& [name, number] : spec.scalars)
    numbers.push_back({name.c_str(), number.floating ? 1 : 0, number.integer, number.real});
  const bool host = info.kind == "host";
  opscope_request request{};
  request.size = sizeof request;
  request.implementation = implementation.c_str();
  request.device_kind = info.kind.c_str();
  const std::size_t colon = info.id.find(':');
  request.device = colon == std::string::npos ? 0 : std::stoi(info.id.substr(colon + 1));
  request.tensors = tensors.data();
  request.tensor_count = static_cast<std::uint32_t>(tensors.size());
  request.numbers = numbers.data();
  request.number_count = static_cast<std::uint32_t>(numbers.size());
  request.host_launch = host ? &launchOnHost : nullptr;
  if (!host && dynamic_cast<StreamAdopter*>(&device) == nullptr)
    throw NotSupported(fmt::format("{} has no streams that a plugin could use", info.name));
  void* state = nullptr;
  std::array<char, kErrorBytes> error{};
  if (functions_.prepare(&request, &state, error.data(), error.size()) != 0)
    throw BadInput(fmt::format("{}: the plugin {} refused to prepare it: {}", spec.label, file_.string(),
                               sentenceOf(error)),
                   "Measure a workload that it can do, or leave the implementation out.");
  return std::make_unique<PluginCall>(functions_, device, spec.label, state);
}

}  // namespace opscope
