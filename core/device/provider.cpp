// SPDX-License-Identifier: Apache-2.0
#include "device/provider.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "device/host/host_device.h"
#include "device/module.h"

namespace opscope {
namespace {

// "cuda" of "cuda:1".
std::string_view kindOf(std::string_view id) {
  return id.substr(0, id.find(':'));
}

// What is missing, in the provider's own words.
std::string reasons(DeviceProvider& provider) {
  std::vector<std::string> sentences;
  for (const Check& check : provider.diagnose())
    if (check.state == Check::State::Missing) {
      sentences.push_back(check.sentence);
      if (!check.remedy.empty()) sentences.push_back(check.remedy);
    }
  return fmt::format("{}", fmt::join(sentences, " "));
}

[[noreturn]] void refuse(std::vector<std::unique_ptr<DeviceProvider>>& providers, const std::string& id) {
  std::vector<std::string> there;
  std::string why;
  for (const auto& provider : providers) {
    const std::vector<DeviceInfo> devices = provider->devices();
    for (const DeviceInfo& device : devices) there.push_back(fmt::format("{} ({})", device.id, device.name));
    if (devices.empty() && provider->kind() == kindOf(id)) why = reasons(*provider);
  }
  throw NoSuchDevice(fmt::format("There is no device \"{}\". There is: {}", id,
                                 there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))),
                     why);
}

std::unique_ptr<Device> openFirstGpu(std::vector<std::unique_ptr<DeviceProvider>>& providers) {
  for (const auto& provider : providers) {
    if (provider->kind() == "host") continue;
    for (const DeviceInfo& device : provider->devices()) {
      if (device.figures != FigureKind::Gpu) continue;
      try {
        return provider->open(device.id);
      } catch (const DeviceUnavailable&) {
        // "auto" asks for the first that works; `opscope doctor` tells what is wrong with this one.
      } catch (const NoSuchDevice&) {
      }
    }
  }
  return nullptr;
}

}  // namespace

std::vector<std::unique_ptr<DeviceProvider>> deviceProviders() {
  std::vector<std::unique_ptr<DeviceProvider>> providers;
  providers.push_back(host::makeHostProvider());
  providers.push_back(loadModule("cuda", moduleFolders()));
  return providers;
}

std::unique_ptr<Device> openDevice(std::vector<std::unique_ptr<DeviceProvider>>& providers,
                                   const std::string& id) {
  if (id == "auto") {
    if (auto device = openFirstGpu(providers)) return device;
    for (const auto& provider : providers)
      if (provider->kind() == "host") return provider->open("host");
    refuse(providers, id);
  }
  for (const auto& provider : providers) {
    // Only the kind that is asked for: enumerating GPUs initialises their driver, which a host run can spare.
    if (provider->kind() != kindOf(id)) continue;
    for (const DeviceInfo& device : provider->devices())
      if (device.id == id || id == provider->kind()) return provider->open(device.id);
  }
  refuse(providers, id);
}

}  // namespace opscope
