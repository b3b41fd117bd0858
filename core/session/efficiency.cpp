// SPDX-License-Identifier: Apache-2.0
#include "session/efficiency.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "session/ceiling_file.h"

namespace opscope {
namespace {

std::string rateText(const Ceiling& ceiling, const char* unit) {
  std::string clock;
  if (ceiling.smClockMhz) clock = fmt::format(" at {:.0f} MHz", *ceiling.smClockMhz);
  return fmt::format("{} {} ({}{})", formatNumber(ceiling.perSecond / 1e12), unit, ceiling.probe, clock);
}

bool anyComputeBound(const Run& run, bool scaled) {
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    const auto efficiency = efficiencyOf(run, i);
    if (efficiency && efficiency->bound == Bound::Compute && efficiency->clockRatio.has_value() == scaled)
      return true;
  }
  return false;
}

}  // namespace

std::string_view nameOf(Bound bound) {
  return bound == Bound::Memory ? "memory" : "compute";
}

std::optional<Efficiency> efficiencyOf(const Run& run, std::uint32_t implementation) {
  const ImplementationResult& result = run.implementations.at(implementation);
  if (!result.hasNumber() || !run.ceilings || !run.ceilings->hold() || !run.ceilings->memory)
    return std::nullopt;
  const double bytesRate = bytesPerSecond(run, result);
  const double flopsRate = flopsPerSecond(run, result);
  const double memory = run.ceilings->memory->perSecond;
  Efficiency efficiency;
  if (run.flops > 0) {
    if (!run.ceilings->matrix) return std::nullopt;
    const Ceiling& matrix = *run.ceilings->matrix;
    double ceiling = matrix.perSecond;
    const auto clock = observedSmClock(run.passesOf(implementation));
    if (clock && matrix.smClockMhz) {
      efficiency.clockRatio = *clock / *matrix.smClockMhz;
      ceiling *= *efficiency.clockRatio;
    }
    // The work takes at least flops / ceiling of the one and bytes / ceiling of the other: the longer one
    // binds.
    if (run.flops / ceiling >= run.bytes / memory) {
      efficiency.bound = Bound::Compute;
      efficiency.rate = flopsRate;
      efficiency.ceiling = ceiling;
    }
  }
  if (efficiency.bound == Bound::Memory) {
    if (run.bytes <= 0) return std::nullopt;
    efficiency.clockRatio.reset();
    efficiency.rate = bytesRate;
    efficiency.ceiling = memory;
  }
  efficiency.share = efficiency.rate / efficiency.ceiling;
  return efficiency;
}

bool hasEfficiency(const Run& run) {
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i)
    if (efficiencyOf(run, i)) return true;
  return false;
}

std::string efficiencyText(const std::optional<Efficiency>& efficiency) {
  if (!efficiency) return "-";
  return fmt::format("{} {}", formatShare(efficiency->share), nameOf(efficiency->bound));
}

std::string ceilingSentence(const Run& run) {
  if (const auto problem = run.environment.find(kCeilingsProblem); problem != run.environment.end())
    return fmt::format("Warning: no ceilings are used: {}", problem->second);
  if (!run.ceilings) return {};
  const Ceilings& ceilings = *run.ceilings;
  if (!ceilings.hold())
    return fmt::format(
        "No efficiency: the ceilings of this device ({}) were measured in another environment: {}. "
        "`opscope ceilings` measures them again.",
        ceilings.measuredAt, fmt::join(ceilings.differences, "; "));
  if (!ceilings.memory)
    return "No efficiency: this device's ceilings have none of memory (opscope ceilings).";
  std::string text = fmt::format("Efficiency is of what this device reached ({}): {}", ceilings.measuredAt,
                                 rateText(*ceilings.memory, "TB/s"));
  if (run.flops > 0 && !ceilings.matrix)
    return fmt::format("No efficiency: this device has no ceiling of operations in {} ({}).", run.dtype,
                       ceilings.measuredAt);
  if (run.flops > 0) text += fmt::format(", {}", rateText(*ceilings.matrix, "TFLOP/s"));
  if (anyComputeBound(run, true))
    text += "; the ceiling of compute is taken at the SM clock of each row's passes";
  if (anyComputeBound(run, false))
    text += "; the ceiling of compute is taken as it was measured, because an SM clock is not known";
  return text + ".";
}

}  // namespace opscope
