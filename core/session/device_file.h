// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

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

/// A record of each device in the file, whose points are read by `pointOf`. Throws as readDeviceFile does; a
/// record without a point cannot be understood.
template <class Records, class PointOf>
Records readRecords(const std::filesystem::path& file, const DeviceFileKind& kind, PointOf pointOf) {
  Records records;
  readDeviceFile(file, kind, [&](const std::string& device, const DeviceJson& json) {
    typename Records::mapped_type record;
    record.device = device;
    json.at("name").get_to(record.deviceName);
    json.at("measured_unix_ns").get_to(record.measuredUnixNs);
    json.at("environment").get_to(record.environment);
    for (const DeviceJson& point : json.at("points")) record.points.push_back(pointOf(point));
    if (record.points.empty()) throw std::invalid_argument("a device has no measurement");
    records[device] = std::move(record);
  });
  return records;
}

/// Writes them back, each point by `toJson`. Throws CannotWrite.
template <class Records, class ToJson>
void writeRecords(const std::filesystem::path& file, const DeviceFileKind& kind, const Records& records,
                  ToJson toJson) {
  DeviceJson devices = DeviceJson::object();
  for (const auto& [device, record] : records) {
    DeviceJson points = DeviceJson::array();
    for (const auto& point : record.points) points.push_back(toJson(point));
    devices[device] = {{"name", record.deviceName},
                       {"measured_unix_ns", record.measuredUnixNs},
                       {"environment", record.environment},
                       {"points", points}};
  }
  writeDeviceFile(file, kind, std::move(devices));
}

}  // namespace opscope
