// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "timing/compare.h"

namespace opscope {

/// An error that only the implementation has in which it occurred: the others can still be measured.
bool belongsToImplementation(ErrorCode code);

/// Makes a run of what is measured, and tells a handler while it does: what every kind of measurement has in
/// common once there are calls to issue. On the launch thread.
class RunKeeper final : public PassObserver, private PassSink {
 public:
  /// `job` and `handler` must outlive it; the job's protocol may still change before begin().
  RunKeeper(Device& device, const Job& job, int launchCore, const EngineHandler& handler,
            std::stop_token stop);

  /// Takes a run that says what is measured (op, workload, implementations), adds where and how, and tells
  /// Started. Throws BadInput for a baseline that is not among the implementations.
  void begin(Run run);
  bool begun() const { return run_.has_value(); }
  Run& run() { return *run_; }
  void throwIfStopped() const;
  void onProgress(const Progress& progress) override;

  /// Tells Prepared, then measures: passes, and what the job asks for beside them. `calls`: one for each
  /// implementation, null where it has failed. Throws what ends the job as a whole; Cancelled among it.
  void measure(const std::vector<Call*>& calls);
  /// Ends a run that measure() ended.
  void finish(bool cancelled);
  /// The run as far as it has come; null before begin().
  std::shared_ptr<const Run> snapshot();

 private:
  void onPass(Pass&& pass) override;
  void onBlockRestart(std::uint32_t block) override;
  void onSettled(const Settling& settling) override;

  std::optional<std::uint32_t> baselineOf(const Run& run) const;
  void compareAll(const std::vector<Call*>& calls);
  void countAll(const std::vector<Call*>& calls);
  void measureBeside(const std::vector<Call*>& calls);

  Device& device_;
  const Job& job_;
  int launchCore_;
  const EngineHandler& handler_;
  std::stop_token stop_;
  std::vector<std::uint32_t> contestants_;  // into Run::implementations
  std::optional<Run> run_;
};

}  // namespace opscope
