// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "session/comparison.h"
#include "state/inspection.h"
#include "state/navigation.h"
#include "state/text.h"
#include "state/verdict.h"
#include "ui/synthetic_run.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

QString allText(const std::vector<InspectionRow>& rows) {
  QString all;
  for (const InspectionRow& row : rows)
    all += row.label + QStringLiteral(": ") + row.value + QLatin1Char('\n');
  return all;
}

}  // namespace

TEST_CASE("the verdict says figure, spread, idle share and who caused the gaps") {
  const VerdictText verdict = verdictOf(*uitest::syntheticRun());
  REQUIRE(verdict.verdicts.size() == 2);
  const ImplementationVerdict& a = verdict.verdicts[0];
  CHECK(a.letter == QStringLiteral("A"));
  // 12 500 + 10 i for i = 0..19, twice: the median of 40 is 12 595.
  CHECK(a.figure == text(formatIn(TimeUnit::Microseconds, 12'595)) + QStringLiteral(" us busy"));
  CHECK(a.spread.contains(QStringLiteral("n = 40")));
  CHECK(a.idle.isEmpty());
  CHECK(a.latency.contains(QStringLiteral("1 kernel")));
  const ImplementationVerdict& b = verdict.verdicts[1];
  CHECK(b.figure == QStringLiteral("9.900 us busy"));
  CHECK(b.latency.contains(QStringLiteral("18.00 us, 4 kernels")));
  CHECK(b.idle.contains(text(formatShare(8.1 / 18))));
  CHECK(b.causes.contains(QStringLiteral("host-late 1 of 2 gaps")));
  // The comparison is said in the command line's words.
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  CHECK(a.compared.isEmpty());
  REQUIRE(run->comparison);
  CHECK(b.compared == text(verdictSentence(*run, *run->comparison, run->comparison->rows.at(0))));
  CHECK(b.compared.contains(QStringLiteral("one block cancels linear drift but gives no interval")));
  CHECK(verdict.dropped == QStringLiteral("0 dropped"));
  CHECK(verdict.l2 == QStringLiteral("L2 clean"));
  CHECK(verdict.method.contains(QStringLiteral("simulated")));
}

TEST_CASE("an unproven drop counter is unknown, never 0") {
  auto run = uitest::syntheticRun();
  auto pass = std::make_shared<Pass>(*run->passes[0]);
  pass->trace.dropped.proven = false;
  run->passes[0] = pass;
  CHECK(verdictOf(*run).dropped == QStringLiteral("drops unknown"));
}

TEST_CASE("a wrong result that was measured all the same is marked") {
  auto run = uitest::syntheticRun();
  run->implementations[0].verification.state = VerificationRecord::State::Failed;
  run->implementations[1].verification.state = VerificationRecord::State::NotChecked;
  const VerdictText verdict = verdictOf(*run);
  CHECK(verdict.verdicts[0].mark == QStringLiteral("WRONG RESULT"));
  CHECK(verdict.verdicts[1].mark == QStringLiteral("not verified"));
}

TEST_CASE("every failure of the method leaves no figure") {
  for (const ErrorCode code :
       {ErrorCode::RecordsLost, ErrorCode::OffThreadLaunch, ErrorCode::NoKernel,
        ErrorCode::DropCounterUnproven, ErrorCode::TimestampsMissing, ErrorCode::MixedMethods}) {
    const auto run = uitest::failingRun(code);
    INFO(nameOf(code));
    const VerdictText all = verdictOf(*run);
    const ImplementationVerdict& verdict = all.verdicts[1];
    CHECK(verdict.failed);
    CHECK(verdict.failureName == text(nameOf(code)));
    CHECK_FALSE(verdict.sentence.isEmpty());
    CHECK(verdict.figure.isEmpty());
    CHECK(verdict.spread.isEmpty());
    CHECK(verdict.latency.isEmpty());
    CHECK(verdict.idle.isEmpty());
    CHECK(verdict.causes.isEmpty());
    CHECK_FALSE(all.verdicts[0].figure.isEmpty());

    Selected selected;
    selected.run = run;
    selected.pass = 1;
    selected.iteration = 0;
    const QString inspected = allText(inspect(selected));
    CHECK(inspected.contains(text(nameOf(code))));
    CHECK_FALSE(inspected.contains(QStringLiteral("busy:")));
    CHECK_FALSE(inspected.contains(QStringLiteral("latency:")));
  }
}

TEST_CASE("a run without passes has a verdict without figures") {
  Run run;
  run.implementations.resize(1);
  run.implementations[0].name = std::string("x");
  const VerdictText verdict = verdictOf(run);
  CHECK(verdict.verdicts[0].figure.isEmpty());
  CHECK(verdict.dropped.isEmpty());
  CHECK(verdictOf(Run{}).verdicts.empty());
}

TEST_CASE("the inspector is exact to the nanosecond") {
  Selected selected;
  selected.run = uitest::syntheticRun();
  selected.pass = 1;
  selected.iteration = 2;
  const Pass& pass = *selected.passOrNull();
  selected.item = {SelectedItem::Kind::Gap, *largestGap(pass, 2)};
  const Gap& gap = pass.gaps[selected.item.index];
  QString all = allText(inspect(selected));
  CHECK(all.contains(QStringLiteral("host-late")));
  CHECK(all.contains(QStringLiteral("length: ") + exactText(7'400)));
  CHECK(all.contains(QStringLiteral("host part: ") + exactText(gap.host)));
  CHECK(all.contains(QStringLiteral("copy part: ") + exactText(400)));
  CHECK(gap.host + gap.device + gap.copy + gap.instrument == 7'400);
  // issued 6 300 ns after the first kernel's start, 3 300 after the device went idle
  CHECK(all.contains(exactText(3'300) + QStringLiteral(" after the device went idle")));

  selected.item = {SelectedItem::Kind::Kernel, gap.after};
  all = allText(inspect(selected));
  CHECK(all.contains(QStringLiteral("void reduce_mean<float>(float*)")));
  CHECK(all.contains(QStringLiteral("queue delay: ") + exactText(10'400 - 6'300)));
  CHECK(all.contains(QStringLiteral("2048 × 1 × 1")));
  CHECK(all.contains(QStringLiteral("start: ") + exactText(10'400)));

  selected.item = {};
  const Ns origin = gap.start - 3'000;
  selected.range = Interval{origin + 2'000, origin + 12'000};
  all = allText(inspect(selected));
  CHECK(all.contains(QStringLiteral("length: ") + exactText(10'000)));
  CHECK(all.contains(QStringLiteral("kernels: 3")));
  CHECK(all.contains(QStringLiteral("busy: ") + exactText(2'600)));
}

TEST_CASE("the inspector survives indices of a damaged file") {
  Selected selected;
  selected.run = uitest::syntheticRun();
  selected.pass = 0;
  selected.iteration = 0;
  for (const auto kind : {SelectedItem::Kind::Kernel, SelectedItem::Kind::Gap, SelectedItem::Kind::Launch,
                          SelectedItem::Kind::Memop}) {
    selected.item = {kind, 4'000'000'000U};
    CHECK_FALSE(inspect(selected).empty());
  }
  CHECK(inspect({}).empty());
}
