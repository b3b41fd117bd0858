// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch_test_macros.hpp>

#include "engine/engine.h"

namespace opscope::test {

/// A measurement on the host that takes a moment only.
inline Job tinyNorm() {
  Job job;
  job.device = "host";
  job.op = "rms_norm";
  job.dims = {{"M", 4}, {"N", 256}};
  job.protocol.l2 = L2Mode::Warm;  // clearing is most of the time
  job.protocol.iterations = 6;
  job.protocol.warmupBudget = kMillisecond;
  job.seed = 11;
  return job;
}

/// Jobs that end in all kinds of runs: numbers, failures, a wrong result, records lost.
inline std::vector<Job> sameJobs() {
  std::vector<Job> jobs{tinyNorm()};
  for (const char* op :
       {"trap_host_sleep", "trap_two_streams", "trap_no_kernel", "trap_off_thread", "trap_wrong_result"}) {
    jobs.push_back(tinyNorm());
    jobs.back().op = op;
    jobs.back().dims.clear();
  }
  jobs.push_back(jobs.back());
  jobs.back().wrongResults = WrongResults::Measure;
  jobs.push_back(tinyNorm());
  jobs.back().implementations = {"eager"};
  jobs.back().protocol.bufferBytes = 128;
  return jobs;
}

/// Two measurements of the same job: everything that does not depend on how long things took.
inline void checkSame(const Run& one, const Run& other) {
  CHECK(one.op == other.op);
  CHECK(one.workload == other.workload);
  CHECK(one.dims == other.dims);
  CHECK(one.dtype == other.dtype);
  CHECK(one.seed == other.seed);
  CHECK(one.method == other.method);
  CHECK(one.l2 == other.l2);
  CHECK(one.deviceName == other.deviceName);
  CHECK(one.cancelled == other.cancelled);
  CHECK(one.environment.size() == other.environment.size());
  REQUIRE(one.implementations.size() == other.implementations.size());
  for (std::size_t i = 0; i < one.implementations.size(); ++i) {
    const ImplementationResult &a = one.implementations[i], &b = other.implementations[i];
    CAPTURE(a.name);
    CHECK(a.name == b.name);
    CHECK(a.verification.state == b.verification.state);
    CHECK(a.verification.worst == b.verification.worst);
    CHECK(a.verification.where == b.verification.where);
    CHECK(a.hasNumber() == b.hasNumber());
    REQUIRE(a.failure.has_value() == b.failure.has_value());
    if (a.failure) CHECK(a.failure->code == b.failure->code);
    CHECK(a.busy.n == b.busy.n);
    CHECK(a.kernelsMin == b.kernelsMin);
    CHECK(a.kernelsMax == b.kernelsMax);
  }
  REQUIRE(one.passes.size() == other.passes.size());
  for (std::size_t p = 0; p < one.passes.size(); ++p) {
    const Pass &a = *one.passes[p], &b = *other.passes[p];
    CAPTURE(p);
    CHECK(a.block == b.block);
    CHECK(a.implementation == b.implementation);
    CHECK(a.method == b.method);
    CHECK(a.samples.size() == b.samples.size());
    CHECK(a.trace.iterations.size() == b.trace.iterations.size());
    if (!a.failure) {  // which records a full buffer dropped is a matter of when
      CHECK(a.trace.kernels.size() == b.trace.kernels.size());
      CHECK(a.trace.launches.size() == b.trace.launches.size());
      CHECK(a.trace.externalIds.size() == b.trace.externalIds.size());
      CHECK(a.trace.names.size() == b.trace.names.size());
    }
    CHECK(a.trace.oneClock == b.trace.oneClock);
    CHECK(a.trace.dropped.proven == b.trace.dropped.proven);
    CHECK(a.failure.has_value() == b.failure.has_value());
  }
}

}  // namespace opscope::test
