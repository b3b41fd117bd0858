// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/recorder.h"
#include "interrupts.h"
#include "outputs.h"
#include "suite/run_suite.h"

namespace opscope::cli {

using Outcome = JobOutcome;

/// What became of all jobs, as an exit code: an interruption first, then the first failure.
class Result {
 public:
  void add(const Outcome& outcome);
  void note(int code);
  int exitCode(bool interrupted) const;

 private:
  bool cancelled_ = false;
  int first_ = 0;
};

/// Runs one job to its end, with its progress on a terminal. A signal stops it. `note`: what its run says.
/// `recorder`: keeps its passes as they end; null: nobody does.
Outcome measureOne(Engine& engine, const Job& job, Interrupts& interrupts, bool quiet,
                   const std::string& note, Recorder* recorder = nullptr);

/// Measures jobs one after the other, all with the same seed, and keeps each run in the session. Ends at the
/// first job that fails as a whole other than by its engine's or device's end, and at a signal. What became
/// of them is added to `result`.
Runs measureAll(Engine& engine, std::vector<Job> jobs, Interrupts& interrupts, Outputs& outputs, bool quiet,
                Result& result);

/// When the last of them ended, as Unix time in ns; 0 for none.
std::int64_t lastEndOf(const Runs& runs);

/// Prints a failure to standard error.
void say(const ErrorInfo& error);

/// The device that --device names; absent when there is none of that name.
std::optional<DeviceInfo> deviceOf(const std::string& id, const std::vector<DeviceInfo>& devices);
/// The device that --device names. Throws NoSuchDevice.
DeviceInfo requireDevice(const std::string& id, Engine& engine);
/// The kind ("cuda", "host") of the device that --device names; empty when there is none of that name.
std::string kindOf(const std::string& id, const std::vector<DeviceInfo>& devices);

}  // namespace opscope::cli
