// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trace/trace.h"

namespace opscope::test {

/// Builds small traces by hand, with consecutive correlation ids.
class TraceBuilder {
 public:
  explicit TraceBuilder(std::size_t iterations) {
    trace.iterations.resize(iterations);
    trace.dropped = {.proven = true, .records = 0};
  }

  /// A launch call [start, end) by the launch thread under `id`, without what it ran. Returns its correlation
  /// id.
  std::uint32_t launch(std::uint64_t id, Ns start, Ns end, LaunchKind kind = LaunchKind::Kernel) {
    const std::uint32_t correlation = next_++;
    trace.launches.push_back({.start = start,
                              .end = end,
                              .correlationId = correlation,
                              .threadId = 1,
                              .apiNameId = trace.names.intern("launch"),
                              .kind = kind});
    trace.externalIds.push_back({.externalId = id, .correlationId = correlation});
    return correlation;
  }
  KernelRecord& kernel(std::uint32_t correlation, Ns start, Ns end, std::uint32_t stream = 7,
                       const std::string& name = "k") {
    return trace.kernels.emplace_back(KernelRecord{.start = start,
                                                   .end = end,
                                                   .correlationId = correlation,
                                                   .nameId = trace.names.intern(name),
                                                   .streamId = stream});
  }
  MemopRecord& memop(std::uint32_t correlation, Ns start, Ns end, std::int64_t bytes = 4096) {
    return trace.memops.emplace_back(MemopRecord{.start = start,
                                                 .end = end,
                                                 .bytes = bytes,
                                                 .correlationId = correlation,
                                                 .streamId = 7,
                                                 .kind = MemopKind::CopyDtoD});
  }
  /// A launch and its kernel.
  KernelRecord& launched(std::uint64_t id, Ns launchStart, Ns launchEnd, Ns start, Ns end,
                         std::uint32_t stream = 7) {
    return kernel(launch(id, launchStart, launchEnd), start, end, stream);
  }

  Trace trace;

 private:
  std::uint32_t next_ = 100;
};

}  // namespace opscope::test
