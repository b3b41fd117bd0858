// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/engine.h"
#include "engine/run_keeper.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "ops/rotation.h"

namespace opscope {

/// One job from spec to run, on the launch thread: prepare, verify, compare, summarise, find. Tells `handler`
/// Started, Progress and PassFinished; how it ended is for the caller to tell.
class Measurement final {
 public:
  Measurement(Device& device, const Catalogue& catalogue, const Job& job, int launchCore,
              const EngineHandler& handler, std::stop_token stop);
  /// Throws what ends the job as a whole; run() then still holds what there is. A Cancelled is kept: the run
  /// is marked.
  void measure();
  /// The run as far as it has come; null before its op and workload were resolved.
  std::shared_ptr<const Run> run() { return keeper_.snapshot(); }

 private:
  void resolve();
  std::vector<std::string> suitableImplementations() const;
  void describeRun();
  void prepareAll();
  void prepareOne(std::size_t implementation);

  Device& device_;
  const Catalogue& catalogue_;
  Job job_;
  RunKeeper keeper_;
  std::optional<Problem> problem_;
  std::unique_ptr<Tensors> tensors_;
  std::unique_ptr<Rotation> rotation_;                // L2Mode::Rotate only
  std::vector<std::unique_ptr<PreparedCall>> calls_;  // one per implementation; null where it failed
};

}  // namespace opscope
