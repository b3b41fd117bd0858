// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/check.h"
#include "device/device.h"

namespace opscope {

/// A source of devices. Never throws from devices() or diagnose(): what is missing is said in a Check.
class DeviceProvider {
 public:
  virtual ~DeviceProvider() = default;
  virtual std::string kind() const = 0;  ///< "host", "cuda"
  virtual std::vector<DeviceInfo> devices() = 0;
  /// Opens a device of this provider for the calling thread. Throws NoSuchDevice or DeviceUnavailable.
  virtual std::unique_ptr<Device> open(const std::string& id) = 0;
  virtual std::vector<Check> diagnose() = 0;
};

/// The symbol that a device module exports with C linkage: CreateDeviceProvider opscope_create_provider. It
/// is built with the program that loads it; the version guards against one left over from another build.
inline constexpr int kModuleVersion = 1;
using CreateDeviceProvider = DeviceProvider* (*)(int moduleVersion);

/// Every provider there is here: the host device's, and those of the modules found beside the program. What
/// keeps a module from being used stands in its provider's diagnose(), never in an exception.
std::vector<std::unique_ptr<DeviceProvider>> deviceProviders();

/// Opens the device named `id` from the first provider that has it. Throws NoSuchDevice, naming what there is
/// and, for "cuda", why not. "auto" takes the first GPU that can be used, else the host.
std::unique_ptr<Device> openDevice(std::vector<std::unique_ptr<DeviceProvider>>& providers,
                                   const std::string& id);

/// The program's own folder, and where its resources (ops, kernels, samples) are: beside an installed
/// program, in the source tree for one that runs from its build folder, or where OPSCOPE_RESOURCES says.
/// Throws CannotRead.
std::filesystem::path programFolder();
std::filesystem::path resourceFolder();

}  // namespace opscope
