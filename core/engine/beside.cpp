// SPDX-License-Identifier: Apache-2.0
#include "engine/beside.h"

#include <fmt/format.h>

#include "timing/methods.h"
#include "timing/pass.h"

namespace opscope {
namespace {

// What keeps one experiment from being made; DeviceLost and Cancelled end the job and pass through.
template <class Work>
std::optional<ErrorInfo> failureOf(Work work) {
  try {
    work();
    return std::nullopt;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    return error.info();
  }
}

}  // namespace

void Beside::measure(std::uint32_t implementation, Call& call) {
  ImplementationResult& result = run_.implementations[implementation];
  const bool byItself = job_.controls.automatic && result.kernelsMax > 1;
  if (job_.controls.prequeued || byItself) prequeue(implementation, call);
  if (job_.controls.tracing || byItself) costOfTracing(result, call);
  if (job_.methods) otherMethods(result, call);
}

// As many as one of a comparison's two passes has.
PassCounts Beside::countsOf(const ImplementationResult& result) const {
  return countsFor(job_.protocol, result.iterationCost, 2, uncountedClear(device_, job_.protocol.l2));
}

void Beside::prequeue(std::uint32_t implementation, Call& call) {
  ImplementationResult& result = run_.implementations[implementation];
  PrequeuedResult outcome;
  outcome.failure = failureOf([&] {
    Pass pass = runPrequeued(device_, call, job_.protocol, countsOf(result), observer_, stop_,
                             {.implementation = fmt::format("{}, queued ahead", result.name)});
    pass.implementation = implementation;
    pass.pass = static_cast<std::uint32_t>(run_.controls.size());
    const auto held = std::make_shared<const Pass>(std::move(pass));
    outcome.control = static_cast<std::int32_t>(run_.controls.size());
    run_.controls.push_back(held);
    if (held->failure) throw Error(*held->failure);
    outcome.comparison = comparePrequeued(run_.passesOf(implementation), *held, run_.timestampTick);
  });
  result.prequeued = std::move(outcome);
}

void Beside::costOfTracing(ImplementationResult& result, Call& call) {
  TracingCost cost;
  const auto failure = failureOf([&] {
    cost = measureTracingCost(device_, call, job_.protocol, countsOf(result).iterations, observer_, stop_,
                              {.implementation = fmt::format("{}, with and without recording", result.name)});
  });
  cost.failure = failure;
  result.tracingCost = std::move(cost);
}

void Beside::otherMethods(ImplementationResult& result, Call& call) {
  result.methods = recordReadings(result.busy, result.latency, run_.l2);
  for (MethodReading& reading :
       measureOtherMethods(device_, call, job_.protocol, countsOf(result), observer_, stop_,
                           {.implementation = fmt::format("{}, by other methods", result.name)}))
    result.methods.push_back(std::move(reading));
}

}  // namespace opscope
