// SPDX-License-Identifier: Apache-2.0
#include "engine/launch_calls.h"

#include <fmt/format.h>

#include <cstdlib>

#include "device/profile_marks.h"
#include "engine/catalogue_info.h"
#include "engine/job_problem.h"
#include "ops/reference.h"

namespace opscope {

LaunchedCalls launchCalls(Job job, std::uint32_t warmups, std::uint32_t calls, const EngineOptions& options) {
  if (job.implementations.size() != 1)
    throw BadInput(fmt::format("{} implementations were named, and one is launched",
                               job.implementations.empty() ? "No" : "Several"),
                   "Name one with --impl; `opscope list` has them.");
  ::setenv("OPSCOPE_CUPTI", "off", 1);  // read when the CUDA module is loaded
  registerHostFunctions();
  const Catalogue catalogue = loadCatalogue(options);
  const OpSpec& op = catalogue.op(job.op);
  auto providers = deviceProviders();
  const auto device = openDevice(providers, job.device);
  const Problem problem = problemOf(op, job);
  Tensors tensors(*device, problem);
  PreparedCall prepared = prepare(tensors, job.implementations.front());
  for (std::uint32_t i = 0; i < warmups; ++i) {
    prepared.call().issue();
    device->drain();
  }
  const ProfileMarks marks(device->info().kind);
  marks.begin();
  for (std::uint32_t i = 0; i < calls; ++i) {
    prepared.call().issue();
    device->drain();
  }
  marks.end();
  return {.op = op.name,
          .workload = problem.workload,
          .dtype = std::string(nameOf(problem.dtype)),
          .implementation = prepared.implementation(),
          .device = fmt::format("{} ({})", device->info().id, device->info().name),
          .seed = problem.seed,
          .marked = marks.available()};
}

}  // namespace opscope
