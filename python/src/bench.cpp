// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include "base/error.h"
#include "ops/reference.h"

namespace opscope::python {

Bench& Bench::instance() {
  static auto* const bench = new Bench;
  return *bench;
}

Bench::Turn::Turn(Bench& bench) : bench_(bench) {
  if (bench_.busy_.exchange(true))
    throw BadInput("A measurement is under way in this process",
                   "Measure one thing after the other; a callable that is measured cannot measure.");
}

std::vector<std::unique_ptr<DeviceProvider>>& Bench::providers() {
  if (providers_.empty()) {
    registerHostFunctions();  // before any device is opened
    providers_ = deviceProviders();
  }
  return providers_;
}

std::string Bench::resolve(const std::string& id) {
  if (id != "auto") return id == "cuda" ? "cuda:0" : id;
  for (const auto& provider : providers()) {
    if (provider->kind() == "host") continue;
    for (const DeviceInfo& info : provider->devices()) {
      try {
        open(info.id);
        return info.id;
      } catch (const DeviceUnavailable&) {
        // As everywhere, "auto" is the first that can be used; doctor() says what keeps this one.
      }
    }
  }
  return "host";
}

Device& Bench::device(const std::string& id) {
  return open(resolve(id));
}

Device& Bench::open(const std::string& id) {
  const auto found = devices_.find(id);
  if (found != devices_.end()) {
    Opened& opened = found->second;
    if (opened.thread == std::this_thread::get_id()) return *opened.device;
    // A GPU is current on the thread that opened it; the host device is nobody's.
    if (opened.device->info().kind == "host") {
      opened.device->bindToThisThread();
      opened.thread = std::this_thread::get_id();
      return *opened.device;
    }
    devices_.erase(found);
  }
  auto device = openDevice(providers(), id);
  device->bindToThisThread();
  device->proveDropCounter();
  Opened& opened = devices_[id];
  opened = {std::move(device), std::this_thread::get_id()};
  return *opened.device;
}

Device& Bench::host() {
  if (Device* const lent = lentHost_) return *lent;
  const auto found = devices_.find("host");
  return found != devices_.end() ? *found->second.device : open("host");
}

Device& Bench::hostOfThisThread() {
  return lentHost_ != nullptr || busy_ ? host() : open("host");
}

std::vector<DeviceInfo> Bench::devices() {
  std::vector<DeviceInfo> all;
  for (const auto& provider : providers())
    for (DeviceInfo& info : provider->devices()) all.push_back(std::move(info));
  return all;
}

std::vector<Check> Bench::diagnose() {
  std::vector<Check> all;
  for (const auto& provider : providers())
    for (Check& check : provider->diagnose()) all.push_back(std::move(check));
  return all;
}

}  // namespace opscope::python
