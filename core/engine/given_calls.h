// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_keeper.h"

namespace opscope {

/// One implementation that the program brings with it, as something that can be called.
struct GivenCall {
  std::string name;
  std::string doc;
  /// On the launch thread. Throws what a call may throw; an Error of an implementation (BadInput,
  /// NotSupported, CompileFailed, ...) takes out this implementation alone.
  std::function<std::unique_ptr<Call>()> prepare;
};

/// What is measured of calls that no catalogue describes: nothing is drawn, uploaded or verified for them.
struct GivenOp {
  std::string name;
  std::string family;
  std::string workload;
  std::string dtype;
  std::map<std::string, std::int64_t> dims;
  double flops = 0;  ///< of one call, as its author claims; 0 unknown
  double bytes = 0;
  std::vector<GivenCall> calls;
  /// The stream that the calls issue on, in the device's own terms; nullopt: the device's main stream. They
  /// may use others beside it.
  std::optional<std::uintptr_t> stream;
  std::map<std::string, std::string> environment;  ///< what else the numbers were made in: "torch"
  std::string offThreadRemedy;                     ///< added to the remedy of an OffThreadLaunch
  std::shared_ptr<void> keep;                      ///< let go of when the measurement is over
};

/// Ops that the program around an engine brings with it. On the launch thread, but for describe().
class GivenOps {
 public:
  virtual ~GivenOps() = default;
  /// Any thread.
  virtual std::vector<CatalogueInfo::Op> describe() const = 0;
  /// The calls of one job, for `device`. Throws what ends the job as a whole.
  virtual GivenOp make(const Job& job, Device& device) = 0;
};

/// Measures given calls: one job, on the launch thread, as Measurement does for those of a catalogue. Each
/// call is issued once before it is calibrated, so that what compiles itself at its first call has done so.
class GivenMeasurement {
 public:
  /// Of `job`: implementations (empty: all), baseline, protocol, controls, counters and methods. Throws
  /// BadInput (two of a name, cycling through copies) and UnknownName.
  GivenMeasurement(Device& device, GivenOp op, const Job& job, int launchCore, const EngineHandler& handler,
                   std::stop_token stop);
  /// Throws what ends the job as a whole; run() then still holds what there is. A Cancelled is kept: the run
  /// is marked.
  void measure();
  std::shared_ptr<const Run> run() { return keeper_.snapshot(); }

 private:
  void chooseCalls();
  void describeRun();
  void prepareAll();
  void explainOffThread();

  Device& device_;
  GivenOp op_;
  Job job_;
  int launchCore_;
  RunKeeper keeper_;
  std::vector<std::unique_ptr<Call>> calls_;  // one per implementation; null where it failed
};

/// The engine in this process with ops of the program's own, which stand before the catalogue's.
std::unique_ptr<Engine> makeLocalEngine(const EngineOptions& options, std::shared_ptr<GivenOps> given);

}  // namespace opscope
