// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

/// One measured ceiling: what the fastest implementation of a probe reached.
struct CeilingPoint {
  enum class Kind : std::uint8_t { Memory, Matrix } kind = Kind::Memory;
  std::string op;
  std::string shape;  ///< its dimensions: "n=134217728"
  std::string dtype;
  std::string implementation;
  std::string l2;
  double medianNs = 0;
  double perSecond = 0;              ///< bytes/s of memory, FLOP/s of matrix
  std::optional<double> smClockMhz;  ///< during its passes; nullopt where nothing read it
};

/// What a device can do, and in what environment that was measured.
struct CeilingRecord {
  std::string device;  ///< deviceKey()
  std::string deviceName;
  std::int64_t measuredUnixNs = 0;
  Environment environment;
  std::vector<CeilingPoint> points;
};

/// By device.
using CeilingRecords = std::map<std::string, CeilingRecord>;

/// The name under which a run's environment says why ceilings that may exist could not be had.
inline constexpr const char* kCeilingsProblem = "ceilings unreadable";

/// ceilings.json in the user's data folder. Throws as dataFile().
std::filesystem::path ceilingFile();
/// Empty when the file does not exist. Throws CannotRead when it cannot be read or understood.
CeilingRecords readCeilings(const std::filesystem::path& file);
/// Writes the file whole or not at all, and its folder where that is missing. Throws CannotWrite.
void writeCeilings(const std::filesystem::path& file, const CeilingRecords& records);

/// What a probe's run reached; absent when no implementation has a number, or every one computes something
/// wrong. A run that claims operations in a matrix product is one of the matrix rate, any other of memory.
std::optional<CeilingPoint> ceilingPointOf(const Run& run);
/// All points that the probes of one device gave.
CeilingRecord ceilingRecordOf(const std::vector<std::shared_ptr<const Run>>& runs,
                              std::int64_t measuredUnixNs);

/// What is known for a run: the fastest memory probe and the matrix rate of the run's dtype, with what its
/// environment differs by from the one of the measurement; where that is anything, they are not used.
Ceilings ceilingsFor(const CeilingRecord& record, const Run& run);

/// "copy float32 n=134217728 by vectorised: 4.120 TB/s in 260.6 us, SM clock 1980 MHz".
std::string textOf(const CeilingPoint& point);

}  // namespace opscope
