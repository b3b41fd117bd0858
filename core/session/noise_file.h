// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

/// One A/A comparison: how far from 1 the ratio of an implementation to itself may lie.
struct NoisePoint {
  std::string op;
  std::string workload;
  std::string dtype;
  std::string implementation;
  std::string l2;
  double medianNs = 0;
  std::uint32_t blocks = 0;
  double share = 0;  ///< the further bound of the 95 % interval: 0.01 is 1 %
};

/// What is known of a device's noise, and in what environment it was measured.
struct NoiseRecord {
  std::string device;  ///< deviceKey()
  std::string deviceName;
  std::int64_t measuredUnixNs = 0;
  Environment environment;  ///< of the last comparison, with "host" and, where known, "sm clock"
  std::vector<NoisePoint> points;
  double floor() const;  ///< the largest of the points
};

/// By device.
using NoiseRecords = std::map<std::string, NoiseRecord>;

/// The name under which a run's environment says why a floor that may exist could not be had.
inline constexpr const char* kNoiseProblem = "noise floor unreadable";

/// noise.json in the user's data folder. Throws as dataFile().
std::filesystem::path noiseFile();

/// Empty when the file does not exist. Throws CannotRead when it cannot be read or understood.
NoiseRecords readNoise(const std::filesystem::path& file);
/// Writes the file whole or not at all, and its folder where that is missing. Throws CannotWrite.
void writeNoise(const std::filesystem::path& file, const NoiseRecords& records);

/// What an A/A comparison of two implementations found; absent when it gave no interval.
std::optional<NoisePoint> noisePointOf(const Run& run);
/// All points that A/A runs of one device gave, with the environment of these runs.
NoiseRecord noiseRecordOf(const std::vector<std::shared_ptr<const Run>>& runs, std::int64_t measuredUnixNs);

/// The floor of a run's device, with what its environment differs by from the one of the measurement.
NoiseFloor noiseFloorFor(const NoiseRecord& record, const Run& run);

}  // namespace opscope
