// SPDX-License-Identifier: Apache-2.0
#include "remote/values.h"

namespace opscope::remote {
namespace {

constexpr int kWrongResults = 3;

Json protocolJson(const Protocol& protocol) {
  const auto& [l2, warmupBudget, measureBudget, minIterations, maxIterations, iterations, blocks, settleLimit,
               bufferBytes, settleIterations, copies, holdPatience, attempts, telemetry] = protocol;
  return {{"l2", nameOf(l2)},
          {"warmup_budget_ns", warmupBudget},
          {"measure_budget_ns", measureBudget},
          {"min_iterations", minIterations},
          {"max_iterations", maxIterations},
          {"iterations", iterations ? Json(*iterations) : Json()},
          {"blocks", blocks},
          {"settle_limit_ns", settleLimit ? Json(*settleLimit) : Json()},
          {"buffer_bytes", bufferBytes},
          {"settle_iterations", settleIterations},
          {"copies", copies},
          {"hold_patience_ns", holdPatience},
          {"attempts", attempts},
          {"telemetry", telemetry}};
}

Protocol protocolFrom(const Json& json) {
  const Fields of(json, "The protocol of a job");
  Protocol protocol;
  const auto l2 = l2ModeFromName(of.text("l2"));
  if (!l2) of.wrong("l2", "is no state of the caches");
  protocol.l2 = *l2;
  protocol.warmupBudget = of.integer<Ns>("warmup_budget_ns");
  protocol.measureBudget = of.integer<Ns>("measure_budget_ns");
  protocol.minIterations = of.integer<std::uint32_t>("min_iterations");
  protocol.maxIterations = of.integer<std::uint32_t>("max_iterations");
  if (of.has("iterations")) protocol.iterations = of.integer<std::uint32_t>("iterations");
  protocol.blocks = of.integer<std::uint32_t>("blocks");
  if (of.has("settle_limit_ns")) protocol.settleLimit = of.integer<Ns>("settle_limit_ns");
  protocol.bufferBytes = of.integer<std::int64_t>("buffer_bytes");
  protocol.settleIterations = of.integer<std::uint32_t>("settle_iterations");
  protocol.copies = of.integer<std::uint32_t>("copies");
  protocol.holdPatience = of.integer<Ns>("hold_patience_ns");
  protocol.attempts = of.integer<std::uint32_t>("attempts");
  protocol.telemetry = of.flag("telemetry");
  return protocol;
}

}  // namespace

Json toJson(const Job& job) {
  const auto& [device, op, workload, dtype, dims, implementations, baseline, protocol, seed, wrongResults,
               counters, controls, methods, checkOnly] = job;
  const auto& [prequeued, tracing, automatic] = controls;
  return {{"device", device},
          {"op", op},
          {"workload", workload},
          {"dtype", dtype},
          {"dims", dims},
          {"implementations", implementations},
          {"baseline", baseline},
          {"protocol", protocolJson(protocol)},
          {"seed", seed},
          {"wrong_results", static_cast<int>(wrongResults)},
          {"counters", counters},
          {"controls", {{"prequeued", prequeued}, {"tracing", tracing}, {"automatic", automatic}}},
          {"methods", methods},
          {"check_only", checkOnly}};
}

Job jobFrom(const Json& json) {
  const Fields of(json, "A job");
  Job job;
  job.device = of.text("device");
  job.op = of.text("op");
  job.workload = of.text("workload");
  job.dtype = of.text("dtype");
  for (const auto& [name, value] : of.map("dims").items())
    job.dims[name] = of.integerOf<std::int64_t>(value, name);
  for (const Json& name : of.list("implementations"))
    job.implementations.push_back(textOf(name, "An implementation's name"));
  job.baseline = of.text("baseline");
  job.protocol = protocolFrom(of.map("protocol"));
  job.seed = of.integer<std::uint64_t>("seed");
  job.wrongResults = of.oneOf<WrongResults>("wrong_results", kWrongResults);
  job.counters = of.flag("counters");
  const Fields controls(of.map("controls"), "The controls of a job");
  job.controls = {controls.flag("prequeued"), controls.flag("tracing"), controls.flag("automatic")};
  job.methods = of.flag("methods");
  job.checkOnly = of.flag("check_only");
  return job;
}

}  // namespace opscope::remote
