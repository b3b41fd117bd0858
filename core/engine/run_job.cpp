// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

namespace opscope {

std::shared_ptr<const Run> runJob(Engine& engine, const Job& job,
                                  const std::function<void(const EngineEvent&)>& watch) {
  std::shared_ptr<const Run> finished;
  std::optional<ErrorInfo> failed;
  engine.start(job, [&](const EngineEvent& event) {
    if (watch) watch(event);
    if (const auto* done = std::get_if<JobFinished>(&event)) finished = done->run;
    if (const auto* failure = std::get_if<JobFailed>(&event)) failed = failure->error;
  });
  engine.wait();
  if (failed) throw Error(*failed);
  return finished;
}

}  // namespace opscope
