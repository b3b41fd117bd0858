// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope::test {

/// One implementation ("one-pass") on one GPU, in passes of three iterations that take what is given, each of
/// one kernel, at an SM clock in MHz.
inline Run runOfPasses(const std::vector<Ns>& busy, const std::string& kernel = "norm",
                       std::optional<int> clock = 1'980) {
  Run run;
  run.op = "rms_norm";
  run.workload = "llama";
  run.dtype = "bfloat16";
  run.dims = {{"M", 2'048}, {"N", 4'096}};
  run.deviceId = "cuda:0";
  run.deviceName = "NVIDIA H200";
  run.figures = "GPU";
  run.method = "cupti";
  run.l2 = "clean";
  run.environment = {{"device uuid", "GPU-1234"}, {"driver", "575.1"}};
  run.implementations = {{.name = "one-pass"}};
  for (std::uint32_t p = 0; p < busy.size(); ++p) {
    auto pass = std::make_shared<Pass>();
    pass->block = p / 2;
    pass->pass = p;
    pass->position = p % 2;
    pass->method = run.method;
    pass->l2 = run.l2;
    const std::uint32_t name = pass->trace.names.intern(kernel);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const Ns at = p * kSecond + i * kMillisecond;
      KernelRecord record;
      record.start = at;
      record.end = at + busy[p];
      record.correlationId = i + 1;
      record.nameId = name;
      pass->trace.kernels.push_back(record);
      pass->trace.externalIds.push_back({i, i + 1});
      pass->trace.iterations.push_back({at, at + 1, at + busy[p] + 1});
      pass->samples.push_back({.busy = busy[p], .latency = busy[p], .kernels = 1});
    }
    if (clock) pass->telemetry.push_back({.at = static_cast<Ns>(p) * kSecond + 1, .smClockMhz = *clock});
    run.passes.push_back(std::move(pass));
  }
  summariseRun(run);
  return run;
}

}  // namespace opscope::test
