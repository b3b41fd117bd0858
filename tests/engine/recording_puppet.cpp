// SPDX-License-Identifier: Apache-2.0
//
// recording_puppet FILE all|summary|none: records passes without end into a session, and says on standard
// output each one that it has kept, so that a test can kill it at any moment and knows what must be in the
// file.
#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "engine/recorder.h"
#include "session/kept.h"

using namespace opscope;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  SessionWriter writer(argv[1], *recordsKeptFromName(argv[2]));
  Recorder recorder(writer);
  const auto engine = makeLocalEngine();
  Job job;
  job.device = "host";
  job.op = "rms_norm";
  job.workload = "tiny";
  job.protocol.blocks = 10'000;
  job.protocol.iterations = 3;
  job.protocol.l2 = L2Mode::Warm;  // clearing a CPU's caches is most of the time, and not what this is about
  job.protocol.warmupBudget = kMillisecond;
  job.protocol.settleLimit = 0;
  engine->start(job, [&](const EngineEvent& event) {
    recorder.onEvent(event);
    if (recorder.failure()) fmt::print("failed {}\n", recorder.failure()->message);
    if (const auto* restarted = std::get_if<BlockRestarted>(&event))
      fmt::print("void {}\n", restarted->block);
    if (const auto* finished = std::get_if<PassFinished>(&event)) {
      const Pass& pass = *finished->pass;
      Ns busy = 0;
      for (const Sample& sample : pass.samples) busy += sample.busy;
      fmt::print("kept {} {} {}\n", pass.block, pass.pass, busy);
    }
    std::fflush(stdout);
  });
  engine->wait();
  return 0;
}
