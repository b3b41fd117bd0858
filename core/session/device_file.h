// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace opscope {

// The files beside sessions that keep something of each device: {"format", "version", "devices": {key:
// {...}}}.

using DeviceJson = nlohmann::ordered_json;

struct DeviceFileKind {
  const char* format;   ///< "opscope-noise"
  int version;          ///< a newer one is refused
  const char* what;     ///< "noise floors"
  const char* command;  ///< what measures them again
};

/// Calls `each` for every device; not at all when the file does not exist. What `each` throws (JSON's own, or
/// std::invalid_argument with what is wrong) is a file that cannot be understood. Throws CannotRead.
void readDeviceFile(const std::filesystem::path& file, const DeviceFileKind& kind,
                    const std::function<void(const std::string& device, const DeviceJson&)>& each);
/// Writes the file whole or not at all, and its folder where that is missing. Throws CannotWrite.
void writeDeviceFile(const std::filesystem::path& file, const DeviceFileKind& kind, DeviceJson devices);

}  // namespace opscope
