// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "suite/plan.h"
#include "suite/suite_row.h"

namespace opscope {

/// How one job ended.
struct JobOutcome {
  std::shared_ptr<const Run> run;  ///< null when the job failed before the engine said what it is
  std::optional<ErrorInfo> failure;
};

/// What a suite needs of the program around it. All calls come from the thread that runs the suite.
class SuiteHost {
 public:
  virtual ~SuiteHost() = default;
  /// Runs one job to its end. `notes`: what the environment of its run is to say, for whoever keeps its
  /// passes as they end.
  virtual JobOutcome measure(const Job& job, const Environment& notes) = 0;
  /// Keeps a run that is over so that nothing that follows loses it. Throws CannotWrite, which ends the
  /// suite.
  virtual void keep(const Run& run) = 0;
  /// Takes out a run that the session had: what it is the beginning of has been measured to its end. Throws
  /// CannotWrite, which ends the suite.
  virtual void drop(const Run& had) = 0;
  /// Called when an engine, or its device, is gone: the next job must find one that works. Throws when there
  /// is none to be had, which ends the suite.
  virtual void renewEngine(const ErrorInfo& why) = 0;
  /// True once somebody asked to stop.
  virtual bool stopped() = 0;
  /// A job is over, or was there before: `number` of `all`, from 1.
  virtual void onRun(const Run& run, bool before, std::size_t number, std::size_t all) = 0;
};

struct SuiteResult {
  std::vector<SuiteRow> rows;
  std::size_t jobs = 0;            ///< of the plan
  std::size_t done = 0;            ///< of these, with what was there before
  std::size_t before = 0;          ///< that the session had
  bool interrupted = false;        ///< somebody stopped it: of the job that ran then there are its passes
  std::optional<ErrorInfo> ended;  ///< the device cannot be had any more: the rest was not tried
};

/// What a suite is made of.
struct SuiteWork {
  std::vector<PlannedJob> jobs;
  DeviceInfo device;
  std::vector<std::shared_ptr<const Run>> had;  ///< the runs of the session: not measured again
  bool retryFailed = false;                     ///< but for those of them that failed
  /// The runs of another session, which every row is compared with; absent: none.
  std::optional<std::vector<std::shared_ptr<const Run>>> earlier;
};

/// Measures what the session does not have, one job after the other, and keeps each run at once. A run that
/// was cut short is measured again, and taken out once that is whole. A job that fails is a run with its
/// failure. When an engine died under several implementations, each is measured once
/// more alone, so that only the guilty one has no number. Throws what `host` throws.
SuiteResult runSuite(const SuiteWork& work, SuiteHost& host);

}  // namespace opscope
