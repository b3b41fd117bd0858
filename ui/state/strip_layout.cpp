// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/strip_layout.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {

StripLayout layOutStrip(const Run& run) {
  StripLayout layout;
  std::size_t bars = 0;
  for (const auto& pass : run.passes) bars += std::max<std::size_t>(1, pass->trace.iterations.size());
  const double between = std::max(1.0, static_cast<double>(bars) / 80.0);

  double x = 0;
  std::vector<Ns> heights;
  for (std::size_t i = 0; i < run.passes.size(); ++i) {
    const Pass& pass = *run.passes[i];
    StripPass strip;
    strip.pass = static_cast<std::uint32_t>(i);
    strip.implementation = pass.implementation;
    strip.block = pass.block;
    strip.failed = pass.failure.has_value() || pass.implementation >= run.implementations.size() ||
                   run.implementations[pass.implementation].failure.has_value();
    strip.from = x;
    strip.to = x + static_cast<double>(std::max<std::size_t>(1, pass.trace.iterations.size()));
    if (!strip.failed) {
      for (std::uint32_t s = 0; s < pass.samples.size(); ++s) {
        strip.bars.push_back({s, pass.samples[s].busy, pass.samples[s].gap()});
        heights.push_back(pass.samples[s].latency);
      }
    }
    x = strip.to + between;
    layout.passes.push_back(std::move(strip));
  }
  layout.width = std::max(1.0, x - between);
  if (!heights.empty()) {
    // The 98th percentile keeps a single stray iteration from flattening all others.
    const auto at =
        heights.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(heights.size() - 1));
    std::nth_element(heights.begin(), at, heights.end());
    const Ns most = *std::max_element(heights.begin(), heights.end());
    const Ns common = *at + *at / 4;
    layout.top = std::max<Ns>(1, most <= common ? most + most / 12 : common);
  }
  return layout;
}

std::optional<IterationRef> iterationAt(const StripLayout& layout, double x) {
  for (const StripPass& pass : layout.passes) {
    if (x < pass.from || x >= pass.to) continue;
    return IterationRef{pass.pass, static_cast<std::uint32_t>(x - pass.from)};
  }
  return std::nullopt;
}

std::optional<double> placeOf(const StripLayout& layout, IterationRef iteration) {
  for (const StripPass& pass : layout.passes) {
    if (pass.pass == iteration.pass) return pass.from + iteration.iteration + 0.5;
  }
  return std::nullopt;
}

}  // namespace opscope::ui
