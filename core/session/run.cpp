// SPDX-License-Identifier: Apache-2.0
#include "session/run.h"

#include <algorithm>
#include <cmath>

#include "session/comparison.h"
#include "session/kept.h"

namespace opscope {
namespace {

template <class Get>
std::vector<Ns> gather(const std::vector<const Pass*>& passes, Get get) {
  std::vector<Ns> values;
  for (const Pass* pass : passes)
    for (const Sample& sample : pass->samples) values.push_back(get(sample));
  return values;
}

void addUp(GapTotals& sum, const GapTotals& part) {
  sum.resize(kGapCauses);
  for (std::size_t cause = 0; cause < part.size(); ++cause) {
    sum[cause].count += part[cause].count;
    sum[cause].time += part[cause].time;
    sum[cause].iterations += part[cause].iterations;
  }
}

void summariseImplementation(ImplementationResult& result, const std::vector<const Pass*>& passes) {
  for (const Pass* pass : passes)
    if (pass->failure && !result.failure) result.failure = pass->failure;
  result.busy = result.latency = result.gap = Summary{};
  result.gaps.clear();
  if (result.failure) return;
  result.busy = summarise(gather(passes, [](const Sample& s) { return s.busy; }));
  result.latency = summarise(gather(passes, [](const Sample& s) { return s.latency; }));
  result.gap = summarise(gather(passes, [](const Sample& s) { return s.gap(); }));
  const Summary kernels = summarise(gather(passes, [](const Sample& s) { return Ns{s.kernels}; }));
  result.kernelsMin = static_cast<std::uint32_t>(kernels.min);
  result.kernelsMax = static_cast<std::uint32_t>(kernels.max);
  result.kernelsMedian = kernels.median;
  result.memopsMedian = summarise(gather(passes, [](const Sample& s) { return Ns{s.memops}; })).median;
  result.memopTimeMedian = static_cast<Ns>(
      std::llround(summarise(gather(passes, [](const Sample& s) { return s.memopTime; })).median));
  for (const Pass* pass : passes) addUp(result.gaps, gapTotalsOf(*pass));
}

double perSecond(double amount, const ImplementationResult& result) {
  return result.hasNumber() && result.busy.median > 0 ? amount / (result.busy.median * 1e-9) : 0;
}

}  // namespace

std::vector<const Pass*> Run::passesOf(std::uint32_t implementation) const {
  std::vector<const Pass*> found;
  for (const auto& pass : passes)
    if (pass->implementation == implementation) found.push_back(pass.get());
  return found;
}

void summariseRun(Run& run) {
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i)
    summariseImplementation(run.implementations[i], run.passesOf(i));
  run.comparison = compareImplementations(run, run.baseline);
}

double flopsPerSecond(const Run& run, const ImplementationResult& result) {
  return perSecond(run.flops, result);
}

double bytesPerSecond(const Run& run, const ImplementationResult& result) {
  return perSecond(run.bytes, result);
}

std::optional<IterationRef> medianIteration(const Run& run, std::uint32_t implementation) {
  if (implementation >= run.implementations.size()) return std::nullopt;
  const ImplementationResult& result = run.implementations[implementation];
  if (!result.hasNumber()) return std::nullopt;
  std::optional<IterationRef> nearest;
  double distance = 0;
  for (std::uint32_t p = 0; p < run.passes.size(); ++p) {
    const Pass& pass = *run.passes[p];
    if (pass.implementation != implementation) continue;
    for (std::uint32_t i = 0; i < pass.samples.size(); ++i) {
      const double d = std::fabs(static_cast<double>(pass.samples[i].busy) - result.busy.median);
      if (!nearest || d < distance) {
        nearest = IterationRef{p, i};
        distance = d;
      }
    }
  }
  return nearest;
}

}  // namespace opscope
