// SPDX-License-Identifier: Apache-2.0
// What the device's counters say of the bytes that the op claims.
#include "findings/rules.h"
#include "session/memory_traffic.h"

namespace opscope::findings {
namespace {

using Severity = Finding::Severity;

// A sector at the edge of a tensor, a block's bookkeeping and the like stay far below this.
constexpr double kTolerated = 1.10;

Builder traffic(const Subject& subject, Severity severity, const char* rule) {
  const MemoryTraffic moved = medianCall(*subject.result.counters);
  const double seconds = subject.result.busy.median * 1e-9;
  const auto all = static_cast<double>(moved.dram());
  Builder builder(subject, severity, rule);
  builder.number("moved", all, "bytes")
      .number("read", static_cast<double>(moved.dramRead), "bytes")
      .number("written", static_cast<double>(moved.dramWritten), "bytes")
      .number("claimed", subject.run.bytes, "bytes")
      .number("rate", all / seconds, "bytes/s")
      .number("claimed_rate", subject.run.bytes / seconds, "bytes/s");
  return builder;
}

Finding movesMore(const Subject& subject, double moved) {
  Builder builder = traffic(subject, Severity::Warning, "moves-more-than-claimed");
  builder.number("ratio", moved / subject.run.bytes, "ratio");
  std::string sentence =
      "{implementation}: DRAM moved {moved} per call ({read} read, {written} written) where the op claims "
      "{claimed}: "
      "{ratio}x. Of the memory's rate, {rate}, its TB/s shows {claimed_rate}.";
  if (subject.result.counters->l2 == "zero")
    sentence += " What a clear by zeros left dirty is among the written bytes.";
  return builder.say(sentence);
}

Finding movesLess(const Subject& subject) {
  const CounterReading& counters = *subject.result.counters;
  const auto l2 = static_cast<double>(counters.l2Bytes);
  const bool fits = subject.run.bytes <= l2;
  Builder builder = fits ? traffic(subject, Severity::Note, "l2-holds-output")
                         : traffic(subject, Severity::Warning, "moves-less-than-claimed");
  builder.number("l2", l2, "bytes").text("held", counters.l2 == "warm" ? "input and output" : "the output");
  if (fits)
    return builder.say(
        "{implementation}: DRAM moved {moved} per call ({read} read, {written} written) of the {claimed} "
        "that the op "
        "claims: they fit into L2 ({l2}), which holds {held} when the call ends. Its TB/s is not one of "
        "DRAM.");
  return builder.say(
      "{implementation}: DRAM moved {moved} per call ({read} read, {written} written) where the op claims "
      "{claimed}: L2 "
      "({l2}) can hold as much of {held} when the call ends. DRAM's rate is {rate}, not {claimed_rate}.");
}

}  // namespace

void ruleMemory(const Subject& subject, std::vector<Finding>& out) {
  if (!subject.result.counters || subject.result.busy.median <= 0) return;
  const auto moved = static_cast<double>(medianCall(*subject.result.counters).dram());
  if (subject.run.bytes > 0) {
    if (moved > kTolerated * subject.run.bytes)
      out.push_back(movesMore(subject, moved));
    else if (subject.run.bytes > kTolerated * moved)
      out.push_back(movesLess(subject));
  }
  const CounterReading& counters = *subject.result.counters;
  if (counters.copies == 0 || counters.together) return;
  Builder builder(subject, Severity::Note, "copies-not-counted");
  out.push_back(
      builder.count("copies", counters.copies)
          .say("{implementation}: the {copies} copies or fills of a call are not in what the counters "
               "counted."));
}

}  // namespace opscope::findings
