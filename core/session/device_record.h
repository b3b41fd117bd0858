// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

// What is kept of a device from one program to the next (its noise floor, its ceilings), and in what
// environment that was measured.

/// A file of that name in the user's data folder: OPSCOPE_DATA, else XDG_DATA_HOME/opscope, else
/// ~/.local/share/opscope. Throws CannotWrite when there is no such folder to be had (no HOME).
std::filesystem::path dataFile(const std::string& name);
/// Makes its folder where that is missing, and looks whether it can be written. Throws CannotWrite.
void requireWritableDataFile(const std::filesystem::path& file);

/// What a device is called there: its uuid, or its id on this host where it has none.
std::string deviceKey(const std::string& deviceId, const std::string& uuid);
std::string deviceKey(const Run& run);

/// The value of that name; empty when there is none.
std::string valueIn(const Environment& environment, const std::string& name);
/// With this machine's name as "host".
Environment onThisHost(Environment environment);

struct EnvironmentDifference {
  std::string name;
  std::string then;  ///< "unknown" where that environment did not have it
  std::string now;
  bool operator==(const EnvironmentDifference&) const = default;
};
/// In what changes how fast and how steady a device is. The rest (temperature, launch core) changes from run
/// to run.
std::vector<EnvironmentDifference> environmentDifferences(const Environment& then, const Environment& now);
/// "driver was 575.1, now 580.2".
std::string textOf(const EnvironmentDifference& difference);

/// "2026-01-31 12:00 UTC".
std::string dateText(std::int64_t unixNs);

}  // namespace opscope
