// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "session/run.h"

namespace opscope::ui {

/// One iteration as a bar: busy below, gap on top, at x and x + 1.
struct StripBar {
  std::uint32_t iteration = 0;
  Ns busy = 0;
  Ns gap = 0;
};

/// The bars of one pass, side by side from x = from.
struct StripPass {
  std::uint32_t pass = 0;  ///< into Run::passes
  std::uint32_t implementation = 0;
  std::uint32_t block = 0;
  bool failed = false;  ///< there is no number: no bars, only the stretch
  double from = 0;
  double to = 0;
  std::vector<StripBar> bars;
};

struct StripLayout {
  std::vector<StripPass> passes;
  double width = 1;
  /// Where the value axis ends: above all but outliers, which are marked instead of squeezing the rest.
  Ns top = 1;
};

/// Every iteration of a run in the order it ran. Pure.
StripLayout layOutStrip(const Run& run);

std::optional<IterationRef> iterationAt(const StripLayout& layout, double x);
/// The middle of an iteration's bar.
std::optional<double> placeOf(const StripLayout& layout, IterationRef iteration);

}  // namespace opscope::ui
