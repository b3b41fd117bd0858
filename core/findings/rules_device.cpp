// SPDX-License-Identifier: Apache-2.0
// What state the device was in, and what it can do at most.
#include <algorithm>

#include "findings/rules.h"
#include "session/efficiency.h"

namespace opscope::findings {
namespace {

using Severity = Finding::Severity;

// A ceiling is the median of one measurement, and another one of the same differs by so much.
constexpr double kBeyondCeiling = 0.02;
constexpr std::uint64_t kSlowing = kThrottlePower | kThrottleThermal | kThrottleHardware;

void throttled(const Subject& subject, std::vector<Finding>& out) {
  std::uint64_t reasons = 0;
  std::uint64_t passes = 0;
  std::int64_t first = -1;
  std::optional<ReadingRange> clock;
  int hottest = 0, power = 0;
  for (const std::uint32_t p : subject.passes) {
    const TelemetrySummary summary = summariseTelemetry(*subject.run.passes[p]);
    const std::uint64_t slowing = summary.throttleReasons.value_or(0) & kSlowing;
    if (slowing == 0) continue;
    reasons |= slowing;
    ++passes;
    if (first < 0) first = p;
    if (const auto& sm = summary.smClockMhz)
      clock = ReadingRange{clock ? std::min(clock->low, sm->low) : sm->low, 0,
                           clock ? std::max(clock->high, sm->high) : sm->high};
    hottest = std::max(hottest, summary.hottestC.value_or(0));
    if (summary.powerMilliwatt) power = std::max(power, summary.powerMilliwatt->high);
  }
  if (passes == 0) return;
  Builder builder(subject, Severity::Warning, "throttled");
  builder.text("reasons", throttleText(reasons))
      .count("throttled", passes)
      .count("passes", subject.passes.size())
      .at(first);
  std::string seen;
  const auto add = [&seen](const char* words) { seen += (seen.empty() ? " (" : ", ") + std::string(words); };
  if (clock) {
    builder.number("sm_low", clock->low, "MHz").number("sm_high", clock->high, "MHz");
    add("SM clock {sm_low} to {sm_high}");
  }
  if (hottest > 0) {
    builder.number("hottest", hottest, "C");
    add("up to {hottest}");
  }
  if (power > 0) {
    builder.number("power", power, "mW");
    add("up to {power}");
  }
  if (!seen.empty()) seen += ")";
  out.push_back(
      builder.say("{implementation}: the device held its clocks down in {throttled} of {passes} "
                  "passes, because of: {reasons}" +
                  seen + "."));
}

// More than what no memory of this clock and bus can carry.
bool abovePeak(const Subject& subject, std::vector<Finding>& out) {
  const double peak = subject.run.memoryBytesPerSecond;
  const double rate = bytesPerSecond(subject.run, subject.result);
  if (peak <= 0 || rate <= peak) return false;
  const bool warm = subject.run.l2 == "warm";
  Builder builder(subject, warm ? Severity::Note : Severity::Warning, "above-roofline");
  builder.number("bytes", subject.run.bytes, "bytes")
      .number("busy", subject.result.busy.median, "ns")
      .number("rate", rate, "bytes/s")
      .number("peak", peak, "bytes/s")
      .number("times", rate / peak, "ratio")
      .text("l2", subject.run.l2);
  out.push_back(builder.say(
      "{implementation}: {bytes} claimed in {busy} are {rate}, {times} times what the memory can carry "
      "({peak} "
      "by its clock and bus): " +
      std::string(warm ? "caches served it (L2 {l2})."
                       : "part of it stayed in a cache (L2 {l2} before the call), or the claim is too "
                         "large.")));
  return true;
}

// More than what a probe reached here. Reading alone can be faster than copying, so that memory is a note;
// and so is what a host computes faster than its plain loops multiply matrices.
void aboveCeiling(const Subject& subject, std::vector<Finding>& out) {
  const auto efficiency = efficiencyOf(subject.run, static_cast<std::uint32_t>(subject.index));
  if (!efficiency || efficiency->share <= 1 + kBeyondCeiling) return;
  const bool memory = efficiency->bound == Bound::Memory;
  const char* unit = memory ? "bytes/s" : "flop/s";
  const bool warns = !memory && subject.run.figures == "GPU";
  Builder builder(subject, warns ? Severity::Warning : Severity::Note, "above-roofline");
  builder.number("claimed", memory ? subject.run.bytes : subject.run.flops, memory ? "bytes" : "flop")
      .number("busy", subject.result.busy.median, "ns")
      .number("rate", efficiency->rate, unit)
      .number("ceiling", efficiency->ceiling, unit)
      .number("times", efficiency->share, "ratio")
      .text("l2", subject.run.l2)
      .text("dtype", subject.run.dtype);
  const std::string reached = "{implementation}: {claimed} claimed in {busy} are {rate}, {times} times what ";
  out.push_back(builder.say(
      reached +
      (memory ? "copies reached on this device ({ceiling}): reads alone can be faster, else part of it "
                "stayed in a cache (L2 {l2} before the call), or the claim is too large."
              : "a large matrix product in {dtype} reached on this device ({ceiling}, at the clock of "
                "these passes where it is known): the claim is too large, or the ceiling too low.")));
}

void aboveRoofline(const Subject& subject, std::vector<Finding>& out) {
  if (!abovePeak(subject, out)) aboveCeiling(subject, out);
}

}  // namespace

void ruleDevice(const Subject& subject, std::vector<Finding>& out) {
  throttled(subject, out);
  aboveRoofline(subject, out);
}

void ruleClocks(const Run& run, std::vector<Finding>& out) {
  struct At {
    int megahertz = 0;
    std::uint32_t pass = 0;
  };
  std::optional<At> slow, fast;
  for (std::uint32_t p = 0; p < run.passes.size(); ++p) {
    const Pass& pass = *run.passes[p];
    if (pass.failure || !run.implementations.at(pass.implementation).hasNumber()) continue;
    const auto clock = summariseTelemetry(pass).smClockMhz;
    if (!clock) continue;
    if (!slow || clock->median < slow->megahertz) slow = At{clock->median, p};
    if (!fast || clock->median > fast->megahertz) fast = At{clock->median, p};
  }
  if (!slow || slow->megahertz <= 0) return;
  const double share = static_cast<double>(fast->megahertz) / slow->megahertz - 1;
  if (share < kClockDifference) return;
  const auto nameOf = [&run](const At& at) {
    return run.implementations.at(run.passes[at.pass]->implementation).name;
  };
  out.push_back(Builder(Severity::Warning, "clock-difference")
                    .number("fast_clock", fast->megahertz, "MHz")
                    .number("slow_clock", slow->megahertz, "MHz")
                    .number("fast", fast->pass, "pass")
                    .number("slow", slow->pass, "pass")
                    .text("fast_name", nameOf(*fast))
                    .text("slow_name", nameOf(*slow))
                    .number("share", share, "share")
                    .about(run.passes[slow->pass]->implementation)
                    .at(slow->pass)
                    .say("The SM clock differs between passes by {share}: {fast_clock} in pass {fast} "
                         "({fast_name}), {slow_clock} in pass {slow} ({slow_name}); their times are of two "
                         "devices."));
}

void ruleProcesses(const Run& run, std::vector<Finding>& out) {
  std::uint64_t told = 0, working = 0, present = 0;
  std::size_t mostWorking = 0, mostPresent = 0;
  int percent = 0;
  bool ownKnown = true, sampled = false;
  std::int64_t where = -1;
  for (std::uint32_t p = 0; p < run.passes.size(); ++p) {
    const auto& use = run.passes[p]->use;
    if (!use) continue;
    ++told;
    const std::size_t busy = otherBusyProcesses(*use);
    const std::size_t others = otherProcesses(*use);
    if (others > 0) {
      ++present;
      ownKnown = ownKnown && use->ownPid.has_value();
      for (const DeviceProcess& process : use->processes)
        sampled = sampled || (process.smPercent && (!use->ownPid || process.pid != *use->ownPid));
    }
    if (busy > 0) {
      ++working;
      if (where < 0) where = p;
      if (use->ownPid)
        for (const DeviceProcess& process : use->processes)
          if (process.pid != *use->ownPid) percent = std::max(percent, process.smPercent.value_or(0));
    }
    mostWorking = std::max(mostWorking, busy);
    mostPresent = std::max(mostPresent, others);
  }
  const std::string container = ownKnown ? ""
                                         : " The driver counts by the host's process ids: one of those that "
                                           "it sees is taken to be this program.";
  if (working > 0) {
    Builder builder(Severity::Warning, "another-process");
    builder.count("processes", mostWorking).count("working", working).count("passes", told).at(where);
    std::string share;
    if (percent > 0) {
      builder.number("percent", percent, "%");
      share = " (up to {percent} of its time, as the driver sampled it)";
    }
    out.push_back(
        builder.say("Other programs ({processes}) worked on the device during or just before "
                    "{working} of {passes} passes" +
                    share + "; their kernels are in these times." + container));
    return;
  }
  // Seen and sampled as idle is no finding; seen and never sampled may be anything.
  if (present == 0 || sampled) return;
  out.push_back(Builder(Severity::Note, "another-process")
                    .count("processes", mostPresent)
                    .count("present", present)
                    .count("passes", told)
                    .say("Other programs ({processes}) held the device open in {present} of {passes} passes; "
                         "the driver does not tell whether they worked." +
                         container));
}

}  // namespace opscope::findings
