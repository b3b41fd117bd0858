// SPDX-License-Identifier: Apache-2.0
#include "engine/job_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string_view>
#include <vector>

namespace opscope {
namespace {

std::uint64_t freshSeed() {
  std::random_device device;
  const std::uint64_t seed = (std::uint64_t{device()} << 20) ^ device();
  return seed == 0 ? 1 : seed;
}

DType resolveDtype(const OpSpec& op, const Job& job) {
  if (job.dtype.empty()) {
    for (const WorkloadSpec& workload : op.workloads)
      if (workload.label == job.workload && !workload.dtypes.empty()) return workload.dtypes.front();
    return op.dtypes.front();
  }
  if (const auto dtype = dtypeFromName(job.dtype)) return *dtype;
  std::vector<std::string_view> known;
  for (const DType dtype : op.dtypes) known.push_back(nameOf(dtype));
  throw UnknownName(fmt::format("There is no dtype '{}'", job.dtype),
                    fmt::format("{} has {}.", op.name, fmt::join(known, ", ")));
}

}  // namespace

Problem problemOf(const OpSpec& op, Job& job) {
  if (job.workload.empty() && !op.workloads.empty() && job.dims.empty())
    job.workload = op.workloads.front().label;
  if (job.seed == 0) job.seed = freshSeed();
  return makeProblem(op, job.workload, resolveDtype(op, job), job.dims, job.seed);
}

}  // namespace opscope
