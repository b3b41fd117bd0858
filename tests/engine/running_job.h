// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <memory>

#include "engine/engine.h"

namespace opscope::test {

/// Starts a job of more blocks than anybody waits for, and returns when it has started: it runs until it is
/// stopped.
inline void startAndRun(Engine& engine, Job job) {
  job.protocol.blocks = 100'000;
  const auto started = std::make_shared<std::promise<void>>();  // the handler outlives this call
  engine.start(job, [started](const EngineEvent& event) {
    if (std::holds_alternative<JobStarted>(event)) started->set_value();
  });
  started->get_future().wait();
}

}  // namespace opscope::test
