// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/compare_panel.h"

#include "session/comparison.h"
#include "session/efficiency.h"
#include "state/colours.h"
#include "state/focus.h"
#include "state/roofline.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {
namespace {

QString withSign(const QString& number, double value) {
  return value > 0 ? QLatin1Char('+') + number : number;
}

double claimedRate(const ComparisonRow& row) {
  return row.run->flops > 0 ? flopsPerSecond(*row.run, row.result()) : bytesPerSecond(*row.run, row.result());
}

}  // namespace

ComparePanel::ComparePanel(SessionModel& session, Selection& selection, QWidget* parent)
    : TablePanel(selection, tr("Compare"), parent), session_(session) {
  connect(&session_, &SessionModel::baselineChanged, this, [this] { refill(); });
  start();
}

void ComparePanel::fill(const Selected& now, const Selected& before) {
  if (now.run && now.run == before.run) return;
  rows_ = comparisonOf(now.run, session_.baseline());
  if (!now.run) {
    setContents(0, {}, tr("No run selected."));
    return;
  }
  const TimeUnit unit = unitOf(*now.run);
  const QString suffix = QStringLiteral(" (%1)").arg(text(suffixOf(unit)));
  const auto rows = std::make_shared<const std::vector<ComparisonRow>>(rows_);
  const auto run = now.run;
  const auto at = [rows](std::size_t row) -> const ComparisonRow& { return (*rows)[row]; };
  // Rows without a number are sorted before all others, whatever is sorted by.
  const auto number = [at](auto value) {
    return [=](std::size_t row) { return at(row).hasNumber ? static_cast<double>(value(at(row))) : -1e300; };
  };
  const auto time = [&](const QString& title, const QString& hint, auto value) {
    return TableColumn{
        title + suffix,
        hint,
        [=](std::size_t row) { return at(row).hasNumber ? text(formatIn(unit, value(at(row)))) : QString(); },
        number(value),
        {}};
  };
  std::vector<TableColumn> columns;
  columns.push_back(
      {tr("Implementation"),
       tr("The baseline is the first of the run, or the one that was pinned"),
       [at, run](std::size_t row) {
         const ComparisonRow& one = at(row);
         QString words = letterOf(one.implementation) + QLatin1Char(' ') + text(one.result().name);
         if (one.run != run)
           words = tr("pinned: %1 of %2").arg(text(one.result().name), wallTimeText(one.run->startedUnixNs));
         return one.isBaseline ? tr("%1 (baseline)").arg(words) : words;
       },
       {},
       [at](std::size_t row) { return QVariant(implementationColour(at(row).implementation)); }});
  columns.push_back(time(tr("Busy"), tr("The median over all iterations"),
                         [](const ComparisonRow& row) { return row.busy.median; }));
  columns.push_back(time(tr("p10"), tr("Of busy"), [](const ComparisonRow& row) { return row.busy.p10; }));
  columns.push_back(time(tr("p90"), tr("Of busy"), [](const ComparisonRow& row) { return row.busy.p90; }));
  columns.push_back({tr("Difference") + suffix,
                     tr("Median busy minus the baseline's"),
                     [=](std::size_t row) {
                       const auto& difference = at(row).differenceNs;
                       return difference ? withSign(text(formatIn(unit, *difference)), *difference)
                                         : QString();
                     },
                     [=](std::size_t row) { return at(row).differenceNs.value_or(0); },
                     {}});
  columns.push_back({tr("Ratio"),
                     tr("To the baseline; below 1 is faster. In one run: free of drift, with its 95 % "
                        "interval. To a pinned "
                        "one of another run: each pass now against each pass then"),
                     [at](std::size_t row) {
                       if (at(row).earlier) return ratioText(*at(row).earlier);
                       return at(row).against ? text(ratioText(*at(row).against)) : QString();
                     },
                     [at](std::size_t row) {
                       if (at(row).earlier) return at(row).earlier->ratio;
                       return at(row).against ? at(row).against->ratio.value_or(-1e300) : -1e300;
                     },
                     {}});
  columns.push_back({tr("Verdict"),
                     tr("Faster or slower only where the whole interval lies beyond the threshold"),
                     [at](std::size_t row) {
                       if (at(row).earlier) return text(nameOf(at(row).earlier->verdict));
                       return at(row).against ? text(verdictText(*at(row).against)) : QString();
                     },
                     {},
                     {}});
  if (run->bytes > 0 || run->flops > 0) {
    columns.push_back({tr("Rate"),
                       tr("What the op claims to compute, or where it computes nothing to move, over busy"),
                       [at](std::size_t row) {
                         return at(row).hasNumber ? rateText(claimedRate(at(row)), at(row).run->flops <= 0)
                                                  : QString();
                       },
                       number([](const ComparisonRow& row) { return claimedRate(row); }),
                       {}});
  }
  if (hasEfficiency(*run)) {
    columns.push_back({tr("Efficiency"),
                       text(ceilingSentence(*run)),
                       [at](std::size_t row) {
                         return at(row).hasNumber
                                    ? text(efficiencyText(efficiencyOf(*at(row).run, at(row).implementation)))
                                    : QString();
                       },
                       [at](std::size_t row) {
                         const auto efficiency = efficiencyOf(*at(row).run, at(row).implementation);
                         return efficiency ? efficiency->share : -1e300;
                       },
                       {}});
  }
  columns.push_back(
      {tr("n"),
       tr("Iterations"),
       [at](std::size_t row) { return at(row).hasNumber ? QString::number(at(row).busy.n) : QString(); },
       number([](const ComparisonRow& row) { return row.busy.n; }),
       {}});
  columns.push_back({tr("Kernels"),
                     tr("Per iteration"),
                     [at](std::size_t row) {
                       if (!at(row).hasNumber) return QString();
                       const ImplementationResult& result = at(row).result();
                       return result.kernelsMin == result.kernelsMax
                                  ? QString::number(result.kernelsMax)
                                  : tr("%1-%2").arg(result.kernelsMin).arg(result.kernelsMax);
                     },
                     number([](const ComparisonRow& row) { return row.result().kernelsMedian; }),
                     {}});
  columns.push_back(time(tr("Latency"), tr("The median; widened by the instrument"),
                         [](const ComparisonRow& row) { return row.latency.median; }));
  columns.push_back({.title = tr("Pass medians") + suffix,
                     .hint = tr("Of busy, in the order the passes ran: what drifts shows here"),
                     .text =
                         [=](std::size_t row) {
                           QStringList medians;
                           for (const double median : at(row).passMedians)
                             medians << text(formatIn(unit, median));
                           return medians.join(QStringLiteral("  "));
                         },
                     .whole = true});
  columns.push_back({.title = tr("Note"),
                     .hint = tr("The verdict in words, or why there is none"),
                     .text = [at](std::size_t row) { return at(row).note; },
                     .whole = true});
  setContents(rows_.size(), std::move(columns), tr("This run has no implementation."));
}

std::optional<std::size_t> ComparePanel::rowOf(const Selected& now) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].run == now.run && static_cast<std::int32_t>(rows_[i].implementation) == now.implementation())
      return i;
  }
  return std::nullopt;
}

void ComparePanel::choose(std::size_t row) {
  selection_.select(medianSelection(rows_[row].run, rows_[row].implementation));
}

}  // namespace opscope::ui
