// SPDX-License-Identifier: Apache-2.0
#include "trace/prequeued_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "trace/attribution.h"

namespace opscope {
namespace {

constexpr std::array<std::string_view, kExperimentResults> kResultNames{"confirmed", "disagrees", "host",
                                                                        "device"};

Ns medianOf(std::vector<Ns> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const Ns below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

using Sequence = std::vector<std::string>;

Sequence sequenceOf(const Pass& pass, std::span<const std::uint32_t> kernels) {
  Sequence names;
  for (const std::uint32_t k : kernels) names.push_back(pass.trace.names.text(pass.trace.kernels[k].nameId));
  return names;
}

// Gaps of some passes by their place in the call.
class ByPosition {
 public:
  explicit ByPosition(const Sequence& sequence)
      : sequence_(sequence), lengths_(sequence.size()), causes_(sequence.size()) {}

  // False, with the reason, when some iteration launches something else.
  bool add(const Pass& pass, std::string_view which) {
    const Attribution attribution = groupByIteration(pass.trace);
    std::vector<std::uint32_t> positionOf(pass.trace.kernels.size());
    for (std::size_t i = 0; i < attribution.iterations(); ++i) {
      const auto kernels = attribution.kernelsOf(i);
      if (!isSequence(pass, kernels)) {
        why_ = fmt::format(
            "iteration {} of pass {} ({}) does not launch the same kernels in the same order "
            "as the first iteration",
            i, pass.pass + 1, which);
        return false;
      }
      for (std::uint32_t p = 0; p < kernels.size(); ++p) positionOf[kernels[p]] = p;
    }
    std::vector<std::vector<Ns>> lengths(sequence_.size(), std::vector<Ns>(attribution.iterations()));
    for (const Gap& gap : pass.gaps) {
      const std::uint32_t position = positionOf[gap.after];
      lengths[position][gap.iteration] = gap.length();
      ++causes_[position][static_cast<std::size_t>(gap.cause)];
    }
    for (std::size_t p = 0; p < lengths.size(); ++p)
      lengths_[p].insert(lengths_[p].end(), lengths[p].begin(), lengths[p].end());
    return true;
  }

  Ns median(std::size_t position) const { return medianOf(lengths_[position]); }
  const std::array<std::uint32_t, kGapCauses>& causes(std::size_t position) const {
    return causes_[position];
  }
  const std::string& why() const { return why_; }

 private:
  bool isSequence(const Pass& pass, std::span<const std::uint32_t> kernels) const {
    if (kernels.size() != sequence_.size()) return false;
    for (std::size_t p = 0; p < kernels.size(); ++p)
      if (pass.trace.names.text(pass.trace.kernels[kernels[p]].nameId) != sequence_[p]) return false;
    return true;
  }

  const Sequence& sequence_;
  std::vector<std::vector<Ns>> lengths_;
  std::vector<std::array<std::uint32_t, kGapCauses>> causes_;
  std::string why_;
};

enum class Side : std::uint8_t { Host, Device };

// On which side of the queue the label looks for the cause; nothing where it does not say.
std::optional<Side> sideOf(GapCause cause) {
  switch (cause) {
    case GapCause::HostLate:
    case GapCause::LatencyExposed:
    case GapCause::Instrument:
      return Side::Host;
    case GapCause::Queued:
    case GapCause::InGraph:
    case GapCause::Copy:
      return Side::Device;
    case GapCause::ClockSuspect:
    case GapCause::NoLaunchRecord:
    case GapCause::Undecided:
      break;
  }
  return std::nullopt;
}

ExperimentResult judgeGap(const PrequeuedGap& gap, Ns tick) {
  const Ns resolution = std::max(2 * tick, gap.normal / 10);
  const Side found = gap.hostCost() > resolution ? Side::Host : Side::Device;
  const std::optional<Side> said = gap.count > 0 ? sideOf(gap.label) : std::nullopt;
  if (!said) return found == Side::Host ? ExperimentResult::Host : ExperimentResult::Device;
  return *said == found ? ExperimentResult::Confirmed : ExperimentResult::Disagrees;
}

void compareGaps(const Sequence& sequence, const ByPosition& normal, const ByPosition& held, Ns tick,
                 std::vector<PrequeuedGap>& gaps) {
  for (std::uint32_t p = 1; p < sequence.size(); ++p) {
    const auto& causes = normal.causes(p);
    PrequeuedGap gap;
    for (const std::uint32_t count : causes) gap.count += count;
    std::uint32_t countHeld = 0;
    for (const std::uint32_t count : held.causes(p)) countHeld += count;
    if (gap.count == 0 && countHeld == 0) continue;
    const auto most = std::max_element(causes.begin(), causes.end());
    gap.position = p;
    gap.before = sequence[p - 1];
    gap.after = sequence[p];
    gap.normal = normal.median(p);
    gap.held = held.median(p);
    gap.labelled = *most;
    if (gap.count > 0) gap.label = static_cast<GapCause>(most - causes.begin());
    gap.result = judgeGap(gap, tick);
    gaps.push_back(std::move(gap));
  }
}

struct Totals {
  std::vector<Ns> latency, gap, host;
  void add(const Pass& pass) {
    std::vector<Ns> hostParts(pass.samples.size());
    for (const Gap& hole : pass.gaps) hostParts[hole.iteration] += hole.host + hole.instrument;
    for (std::size_t i = 0; i < pass.samples.size(); ++i) {
      latency.push_back(pass.samples[i].latency);
      gap.push_back(pass.samples[i].gap());
      host.push_back(hostParts[i]);
    }
  }
};

}  // namespace

std::string_view nameOf(ExperimentResult result) {
  return kResultNames[static_cast<std::size_t>(result)];
}

ExperimentResult experimentResultFromName(std::string_view name) {
  const auto found = std::find(kResultNames.begin(), kResultNames.end(), name);
  return found == kResultNames.end() ? ExperimentResult::Device
                                     : static_cast<ExperimentResult>(found - kResultNames.begin());
}

PrequeuedComparison comparePrequeued(std::span<const Pass* const> normal, const Pass& held, Ns tick) {
  PrequeuedComparison result;
  Totals without, with;
  for (const Pass* pass : normal) without.add(*pass);
  with.add(held);
  result.latencyNormal = medianOf(std::move(without.latency));
  result.gapNormal = medianOf(std::move(without.gap));
  result.hostNormal = medianOf(std::move(without.host));
  result.latencyHeld = medianOf(std::move(with.latency));
  result.gapHeld = medianOf(std::move(with.gap));
  // Not the median: one held gap in which the host had a part would already refute the experiment.
  result.hostHeld = with.host.empty() ? 0 : *std::max_element(with.host.begin(), with.host.end());

  if (normal.empty() || normal.front()->samples.empty() || held.samples.empty()) {
    result.whyNoGaps = "there is no iteration to compare";
    return result;
  }
  const Pass& first = *normal.front();
  const Sequence sequence = sequenceOf(first, groupByIteration(first.trace).kernelsOf(0));
  ByPosition normalGaps(sequence), heldGaps(sequence);
  for (const Pass* pass : normal)
    if (!normalGaps.add(*pass, "normal")) {
      result.whyNoGaps = normalGaps.why();
      return result;
    }
  if (!heldGaps.add(held, "pre-queued")) {
    result.whyNoGaps = heldGaps.why();
    return result;
  }
  compareGaps(sequence, normalGaps, heldGaps, tick, result.gaps);
  return result;
}

}  // namespace opscope
