// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/comparison.h"

#include "session/comparison.h"
#include "session/kept.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

ComparisonRow rowOf(const std::shared_ptr<const Run>& run, std::uint32_t implementation) {
  ComparisonRow row;
  row.run = run;
  row.implementation = implementation;
  const ImplementationResult& result = run->implementations[implementation];
  row.hasNumber = result.hasNumber();
  if (!row.hasNumber) {
    row.note = result.failure ? QObject::tr("no number: %1").arg(text(nameOf(result.failure->code)))
                              : QObject::tr("not measured");
    return row;
  }
  row.busy = result.busy;
  row.latency = result.latency;
  for (const Pass* pass : run->passesOf(implementation))
    if (const Summary busy = busyOf(*pass); busy.n > 0) row.passMedians.push_back(busy.median);
  return row;
}

/// Why two runs must not be compared; empty when they may.
QString otherThan(const Run& run, const Run& baseline) {
  if (run.op != baseline.op || run.workload != baseline.workload || run.dtype != baseline.dtype ||
      run.dims != baseline.dims) {
    return QObject::tr("another workload than the baseline");
  }
  if (run.deviceName != baseline.deviceName || run.figures != baseline.figures)
    return QObject::tr("another device than the baseline");
  if (run.method != baseline.method) return QObject::tr("another method than the baseline");
  if (run.l2 != baseline.l2) return QObject::tr("another L2 mode than the baseline");
  return {};
}

}  // namespace

std::vector<ComparisonRow> comparisonOf(const std::shared_ptr<const Run>& run,
                                        const std::optional<Baseline>& pinned) {
  std::vector<ComparisonRow> rows;
  if (!run) return rows;
  const bool valid = pinned && pinned->run && pinned->implementation < pinned->run->implementations.size();
  if (valid && pinned->run != run) rows.push_back(rowOf(pinned->run, pinned->implementation));
  for (std::uint32_t i = 0; i < run->implementations.size(); ++i) rows.push_back(rowOf(run, i));

  const bool ofThisRun = valid && pinned->run == run;
  const auto comparison = ofThisRun ? compareImplementations(*run, pinned->implementation) : run->comparison;
  std::optional<std::size_t> base;
  for (std::size_t i = 0; i < rows.size() && !base; ++i) {
    const bool isPinned =
        valid && rows[i].run == pinned->run && rows[i].implementation == pinned->implementation;
    const bool isOwn = comparison ? rows[i].implementation == comparison->baseline : rows[i].hasNumber;
    if (isPinned || (!valid && isOwn)) base = i;
  }
  if (!base) return rows;
  rows[*base].isBaseline = true;
  const ComparisonRow baseline = rows[*base];
  for (ComparisonRow& row : rows) {
    if (row.isBaseline || !row.hasNumber) continue;
    row.note =
        baseline.hasNumber ? otherThan(*row.run, *baseline.run) : QObject::tr("the baseline has no number");
    if (!row.note.isEmpty()) continue;
    if (row.run != baseline.run && row.result().name == baseline.result().name) {
      const std::shared_ptr<const Run> earlier[] = {baseline.run};
      AgainstEarlier against = compareWithEarlier(*row.run, row.implementation, earlier);
      row.note = text(earlierSentence(*row.run, against));
      if (against.refusal) continue;
      row.differenceNs = row.busy.median - baseline.busy.median;
      row.earlier = std::move(against);
      continue;
    }
    row.differenceNs = row.busy.median - baseline.busy.median;
    if (row.run != baseline.run) {
      row.note = QObject::tr("Another run than the baseline: drift between the two is not known.");
    } else if (const AgainstBaseline* against =
                   comparison ? comparison->rowOf(row.implementation) : nullptr) {
      row.against = *against;
      row.note = text(verdictSentence(*run, *comparison, *against));
    }
  }
  return rows;
}

QString ratioText(const AgainstEarlier& row) {
  QString words = text(ratioNumber(row.ratio));
  if (row.range)
    words += QStringLiteral(" [%1, %2]")
                 .arg(text(ratioNumber(row.range->low)), text(ratioNumber(row.range->high)));
  return words;
}

VerdictText verdictOf(const std::shared_ptr<const Run>& run, const std::optional<Baseline>& pinned) {
  VerdictText verdict = verdictOf(*run);
  for (const ComparisonRow& row : comparisonOf(run, pinned)) {
    if (!row.earlier) continue;
    const QString ratio = ratioText(*row.earlier);
    QString& words = verdict.verdicts[row.implementation].compared;
    switch (row.earlier->verdict) {
      case Verdict::Faster:
        words = QObject::tr("faster than the pinned baseline: ratio %1").arg(ratio);
        break;
      case Verdict::Slower:
        words = QObject::tr("slower than the pinned baseline: ratio %1").arg(ratio);
        break;
      case Verdict::Same:
        words = QObject::tr("as fast as the pinned baseline: ratio %1").arg(ratio);
        break;
      case Verdict::Undecided:
        words = QObject::tr("undecided against the pinned baseline: ratio %1").arg(ratio);
        break;
    }
  }
  return verdict;
}

}  // namespace opscope::ui
