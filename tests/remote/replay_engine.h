// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "engine/engine.h"

namespace opscope::test {

/// An engine whose job is whatever a test says, on a thread of its own.
class ReplayEngine : public Engine {
 public:
  using Script = std::function<void(const Job&, const EngineHandler&)>;
  explicit ReplayEngine(Script script) : script_(std::move(script)) {}
  ~ReplayEngine() override { ReplayEngine::wait(); }

  CatalogueInfo catalogue() override {
    return {.ops = {{.name = "replayed",
                     .family = {},
                     .doc = {},
                     .dtypes = {},
                     .workloads = {},
                     .implementations = {}}},
            .problems = {}};
  }
  std::vector<DeviceInfo> devices() override { return {}; }
  std::vector<Check> diagnose() override { throw DeviceUnavailable("nothing to diagnose"); }
  void start(const Job& job, EngineHandler handler) override {
    wait();
    thread_ = std::thread([this, job, handler = std::move(handler)] { script_(job, handler); });
  }
  void stop() override { stopped = true; }
  void wait() override {
    if (thread_.joinable()) thread_.join();
  }

  std::atomic<bool> stopped = false;

 private:
  Script script_;
  std::thread thread_;
};

/// A run as it stands when its job starts.
inline std::shared_ptr<const Run> begunOf(const Run& run) {
  auto begun = std::make_shared<Run>(run);
  begun->passes.clear();
  begun->controls.clear();
  begun->findings.clear();
  for (ImplementationResult& result : begun->implementations) result.prequeued.reset();
  return begun;
}

/// Tells a run as the engine that measured it would have.
inline void tellRun(const std::shared_ptr<const Run>& run, const EngineHandler& handler) {
  handler(JobStarted{begunOf(*run)});
  for (const auto& pass : run->passes) handler(PassFinished{pass});
  handler(JobFinished{run});
}

}  // namespace opscope::test
