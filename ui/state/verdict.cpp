// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/verdict.h"

#include <algorithm>

#include "session/comparison.h"
#include "session/efficiency.h"
#include "session/imported.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

/// "8 of 8 gaps" of one iteration where every iteration has the same, of all iterations where not.
QString countText(std::uint64_t count, std::uint64_t all, std::uint64_t iterations) {
  if (iterations > 0 && count % iterations == 0 && all % iterations == 0) {
    return QObject::tr("%1 of %2 gaps").arg(count / iterations).arg(all / iterations);
  }
  return QObject::tr("%1 of %2 gaps in %3 iterations").arg(count).arg(all).arg(iterations);
}

QString causesText(const ImplementationResult& result) {
  std::uint64_t all = 0;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result.gaps.size(); ++i) {
    all += result.gaps[i].count;
    if (result.gaps[i].count > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return result.gaps[a].time > result.gaps[b].time; });
  QStringList parts;
  for (const std::size_t cause : order) {
    if (parts.size() == 2) {
      parts << QObject::tr("+%1 more").arg(order.size() - 2);
      break;
    }
    const GapTotal& total = result.gaps[cause];
    const double each =
        static_cast<double>(total.time) / static_cast<double>(std::max<std::size_t>(1, result.busy.n));
    parts << QObject::tr("%1 %2, %3")
                 .arg(text(nameOf(static_cast<GapCause>(cause))), countText(total.count, all, result.busy.n),
                      timeText(unitFor(each), each));
  }
  return parts.join(QStringLiteral(" · "));
}

QString kernelsText(const ImplementationResult& result) {
  if (result.kernelsMin != result.kernelsMax) {
    return QObject::tr("%1-%2 kernels").arg(result.kernelsMin).arg(result.kernelsMax);
  }
  return result.kernelsMax == 1 ? QObject::tr("1 kernel") : QObject::tr("%1 kernels").arg(result.kernelsMax);
}

ImplementationVerdict verdictOfOne(const Run& run, std::uint32_t at, TimeUnit unit) {
  const ImplementationResult& result = run.implementations[at];
  ImplementationVerdict verdict;
  verdict.letter = letterOf(at);
  verdict.name = text(result.name);
  if (result.failure) {
    verdict.failed = true;
    verdict.failureName = text(nameOf(result.failure->code));
    verdict.sentence = sentenceText(result.failure->message);
    verdict.remedy = sentenceText(result.failure->remedy);
    return verdict;
  }
  if (!result.hasNumber()) {
    verdict.sentence =
        run.cancelled ? QObject::tr("stopped before its first pass ended") : QObject::tr("not measured yet");
    return verdict;
  }
  verdict.figure = QObject::tr("%1 busy").arg(timeText(unit, result.busy.median));
  verdict.spread = QObject::tr("p10 %1  p90 %2  n = %3")
                       .arg(text(formatIn(unit, result.busy.p10)), text(formatIn(unit, result.busy.p90)))
                       .arg(result.busy.n);
  verdict.latency =
      QObject::tr("latency %1, %2").arg(timeText(unit, result.latency.median), kernelsText(result));
  if (result.kernelsMax > 1) {
    verdict.idle = QObject::tr("idle %1").arg(text(formatShare(idleShare(run, at))));
    verdict.causes = causesText(result);
  }
  if (const auto efficiency = efficiencyOf(run, at))
    verdict.efficiency = QObject::tr("%1 of the %2 ceiling")
                             .arg(text(formatShare(efficiency->share)), text(nameOf(efficiency->bound)));
  if (const AgainstBaseline* row = run.comparison ? run.comparison->rowOf(at) : nullptr)
    verdict.compared = text(verdictSentence(run, *run.comparison, *row));
  if (result.verification.state == VerificationRecord::State::NotChecked)
    verdict.mark = isImported(run) ? QObject::tr("imported") : QObject::tr("not verified");
  if (result.verification.state == VerificationRecord::State::Failed)
    verdict.mark = QObject::tr("WRONG RESULT");
  return verdict;
}

}  // namespace

TimeUnit unitOf(const Run& run) {
  double largest = 0;
  for (const auto& result : run.implementations) {
    if (result.hasNumber()) largest = std::max(largest, result.latency.median);
  }
  return largest > 0 ? unitFor(largest) : TimeUnit::Microseconds;
}

double idleShare(const Run& run, std::uint32_t implementation) {
  const ImplementationResult& result = run.implementations[implementation];
  return result.hasNumber() && result.latency.median > 0 ? result.gap.median / result.latency.median : 0;
}

VerdictText verdictOf(const Run& run) {
  VerdictText all;
  const TimeUnit unit = unitOf(run);
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i)
    all.verdicts.push_back(verdictOfOne(run, i, unit));
  all.device = text(run.deviceName);
  if (isImported(run)) {
    all.method = QObject::tr("imported: recorded by %1").arg(text(run.method));
    all.remark = QObject::tr("not measured by Opscope");
    return all;
  }
  all.method = QObject::tr("%1, %2 figures").arg(text(run.method), text(run.figures));
  all.l2 = QObject::tr("L2 %1").arg(text(run.l2));
  std::uint64_t dropped = 0;
  bool proven = true;
  for (const auto& pass : run.passes) {
    dropped += pass->trace.dropped.records;
    proven = proven && pass->trace.dropped.proven;
  }
  all.dropped = run.passes.empty() ? QString()
                : proven           ? QObject::tr("%1 dropped").arg(dropped)
                                   : QObject::tr("drops unknown");
  if (run.cancelled) all.remark = QObject::tr("stopped early: %1 passes").arg(run.passes.size());
  return all;
}

}  // namespace opscope::ui
