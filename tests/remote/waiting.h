// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "engine/engine.h"

namespace opscope::test {

/// What became of a job.
struct Ended {
  std::shared_ptr<const Run> run;
  std::optional<ErrorInfo> failure;
};

/// Runs a job to its end, whichever it is. `watch` sees every event.
inline Ended runToEnd(Engine& engine, const Job& job,
                      const std::function<void(const EngineEvent&)>& watch = {}) {
  Ended ended;
  engine.start(job, [&](const EngineEvent& event) {
    if (watch) watch(event);
    if (const auto* done = std::get_if<JobFinished>(&event)) ended.run = done->run;
    if (const auto* broken = std::get_if<JobFailed>(&event)) ended = {broken->run, broken->error};
  });
  engine.wait();
  return ended;
}

inline double secondsSince(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace opscope::test
