// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/history.h"

#include <algorithm>

#include "state/text.h"

namespace opscope::ui {
namespace {

bool holds(const HistorySeries& series, const std::shared_ptr<const Run>& run, std::uint32_t implementation) {
  return std::any_of(series.points.begin(), series.points.end(), [&](const HistoryPoint& point) {
    return point.run == run && point.implementation == implementation;
  });
}

void findElsewhere(const std::shared_ptr<const Run>& run, const std::vector<HistorySeries>& all,
                   History& into) {
  for (const HistorySeries& series : all) {
    if (!isSameWork(*run, series.first())) continue;
    for (const History::Line& line : into.lines) {
      if (line.series.implementation != series.implementation ||
          holds(line.series, series.points.front().run, series.points.front().implementation))
        continue;
      into.elsewhere += series.points.size();
      if (const auto other = otherKey(*run, line.place, series.first(), series.points.front().implementation))
        into.whyElsewhere = other->what;
    }
  }
}

}  // namespace

std::optional<std::size_t> History::placeOf(const std::shared_ptr<const Run>& run) const {
  const auto found = std::find(runs.begin(), runs.end(), run);
  if (found == runs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - runs.begin());
}

History historyFor(const std::shared_ptr<const Run>& run, std::int32_t implementation,
                   const std::vector<std::shared_ptr<const Run>>& runs,
                   const std::optional<Baseline>& pinned) {
  History history;
  if (!run) return history;
  std::vector<HistoryRun> same;
  for (const auto& each : runs)
    if (isSameWork(*run, *each)) same.push_back({each, 0});
  const HistoryPoint reference =
      pinned ? HistoryPoint{pinned->run, pinned->implementation, 0, {}, {}} : HistoryPoint{};
  const std::vector<HistorySeries> all = historyOf(same, pinned ? &reference : nullptr);
  for (std::uint32_t i = 0; i < run->implementations.size(); ++i)
    for (const HistorySeries& series : all)
      if (holds(series, run, i)) history.lines.push_back({i, series});
  for (std::size_t i = 0; i < history.lines.size(); ++i) {
    const History::Line& line = history.lines[i];
    if (static_cast<std::int32_t>(line.place) == implementation) history.banded = i;
    for (const HistoryPoint& point : line.series.points) history.runs.push_back(point.run);
  }
  for (std::size_t i = 0; pinned && i < history.lines.size(); ++i)
    if (holds(history.lines[i].series, pinned->run, pinned->implementation)) history.banded = i;
  std::sort(history.runs.begin(), history.runs.end(), [](const auto& a, const auto& b) {
    return a->startedUnixNs != b->startedUnixNs ? a->startedUnixNs < b->startedUnixNs : a < b;
  });
  history.runs.erase(std::unique(history.runs.begin(), history.runs.end()), history.runs.end());
  findElsewhere(run, all, history);
  return history;
}

QStringList historyWords(const History& history, const std::shared_ptr<const Run>& run,
                         std::int32_t implementation) {
  QStringList words;
  if (history.empty()) return {QObject::tr("The selected run has no number to follow.")};
  if (history.runs.size() == 1)
    words << QObject::tr(
        "This is the only run of its work under its key. Open other sessions of it to see them beside it.");
  const HistorySeries& banded = history.lines[history.banded].series;
  words << QObject::tr("%1 %2").arg(text(banded.implementation) + QLatin1Char(':'),
                                    text(bandSentence(banded)));
  for (const History::Line& line : history.lines)
    for (const HistoryPoint& point : line.series.points)
      if (point.run == run && static_cast<std::int32_t>(point.implementation) == implementation &&
          point.against)
        words << text(earlierSentence(*run, *point.against));
  if (history.elsewhere > 0)
    words << QObject::tr("Not shown, being under another key: %1 of the same work (%2).")
                 .arg(history.elsewhere == 1 ? QObject::tr("1 number")
                                             : QObject::tr("%1 numbers").arg(history.elsewhere),
                      text(history.whyElsewhere));
  return words;
}

}  // namespace opscope::ui
