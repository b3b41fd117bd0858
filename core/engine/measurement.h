// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/engine.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "ops/rotation.h"
#include "timing/compare.h"

namespace opscope {

/// One job from spec to run, on the launch thread: prepare, verify, compare, summarise, find. Tells `handler`
/// Started, Progress and PassFinished; how it ended is for the caller to tell.
class Measurement final : private PassObserver, private PassSink {
 public:
  Measurement(Device& device, const Catalogue& catalogue, const Job& job, int launchCore,
              const EngineHandler& handler, std::stop_token stop);
  /// Throws what ends the job as a whole; run() then still holds what there is. A Cancelled is kept: the run
  /// is marked.
  void measure();
  /// The run as far as it has come; null before its op and workload were resolved.
  std::shared_ptr<const Run> run();

 private:
  void onProgress(const Progress& progress) override;
  void onPass(Pass&& pass) override;
  void onBlockRestart(std::uint32_t block) override;
  void onSettled(const Settling& settling) override;

  void resolve();
  std::vector<std::string> suitableImplementations() const;
  void describeRun();
  std::optional<std::uint32_t> baseline() const;
  void prepareAll();
  void prepareOne(std::size_t implementation);
  void compareAll();
  void countAll();
  void measureBeside();

  Device& device_;
  const Catalogue& catalogue_;
  Job job_;
  int launchCore_;
  const EngineHandler& handler_;
  std::stop_token stop_;
  std::optional<Problem> problem_;
  std::unique_ptr<Tensors> tensors_;
  std::unique_ptr<Rotation> rotation_;                // L2Mode::Rotate only
  std::vector<std::unique_ptr<PreparedCall>> calls_;  // one per implementation; null where it failed
  std::vector<std::uint32_t> contestants_;            // into Run::implementations
  std::optional<Run> run_;
};

}  // namespace opscope
