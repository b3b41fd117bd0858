// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "session/history.h"
#include "state/comparison.h"

namespace opscope::ui {

/// Busy of the selected run's implementations over all runs of the window that measured the same under the
/// same key.
struct History {
  /// From left to right: by the time they were measured.
  std::vector<std::shared_ptr<const Run>> runs;
  /// Those that the selected run is part of, in the order of its implementations; `place` in the run is the
  /// colour.
  struct Line {
    std::uint32_t place = 0;
    HistorySeries series;
  };
  std::vector<Line> lines;
  std::size_t banded = 0;     ///< the line whose band is drawn: the pinned one's, else the selected one's
  std::size_t elsewhere = 0;  ///< numbers of the same work under another key: not shown
  std::string whyElsewhere;   ///< of one of them

  bool empty() const { return lines.empty(); }
  /// Where a run stands; absent when it is not shown.
  std::optional<std::size_t> placeOf(const std::shared_ptr<const Run>& run) const;
};

/// Pure.
History historyFor(const std::shared_ptr<const Run>& run, std::int32_t implementation,
                   const std::vector<std::shared_ptr<const Run>>& runs,
                   const std::optional<Baseline>& pinned);

/// What the plot does not say: the band, what the selected run became, what is not shown.
QStringList historyWords(const History& history, const std::shared_ptr<const Run>& run,
                         std::int32_t implementation);

}  // namespace opscope::ui
