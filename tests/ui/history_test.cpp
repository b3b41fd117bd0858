// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "session/kept.h"
#include "state/history.h"
#include "state/selection.h"
#include "ui/synthetic_run.h"

// The history of the window, and runs whose session kept no records, without widgets.

using namespace opscope;
using namespace opscope::ui;
using RunList = std::vector<std::shared_ptr<const Run>>;

namespace {

std::shared_ptr<Run> onDay(std::int64_t day) {
  auto run = uitest::syntheticRun();
  run->startedUnixNs = day * 86'400 * kSecond;
  return run;
}

std::shared_ptr<Run> warmOnDay(std::int64_t day) {
  auto run = onDay(day);
  run->l2 = "warm";
  return run;
}

}  // namespace

TEST_CASE("a history has a line for each implementation of the selected run, by time") {
  const std::shared_ptr<const Run> first = onDay(1), second = onDay(2), third = onDay(3);
  auto other = onDay(4);
  other->op = "another";
  const History history = historyFor(second, 1, {third, first, second, other}, {});
  CHECK(history.runs == RunList{first, second, third});
  REQUIRE(history.lines.size() == 2);
  CHECK(history.lines[0].series.implementation == "one-pass");
  CHECK(history.lines[1].place == 1);
  CHECK(history.banded == 1);
  CHECK(history.lines[1].series.reference == 0);
  CHECK(history.placeOf(third) == 2);
  CHECK_FALSE(history.placeOf(other));
  CHECK(history.elsewhere == 0);
  const QStringList words = historyWords(history, second, 1);
  REQUIRE(words.size() == 2);
  CHECK(words[0].startsWith(QStringLiteral("eager: The band is 1 %")));
  CHECK(words[1].contains(QStringLiteral("Undecided between eager and the baseline")));
}

TEST_CASE("the pinned run is the reference of its line, whose band is drawn") {
  const std::shared_ptr<const Run> first = onDay(1), second = onDay(2);
  const History history = historyFor(first, 1, {first, second}, Baseline{second, 0});
  CHECK(history.banded == 0);
  CHECK(history.lines[0].series.reference == 1);
  CHECK(history.lines[1].series.reference == 0);
}

TEST_CASE("what is under another key is counted and said, not drawn") {
  const std::shared_ptr<const Run> first = onDay(1);
  const History history = historyFor(first, 0, {first, warmOnDay(2), warmOnDay(3)}, {});
  CHECK(history.runs.size() == 1);
  CHECK(history.elsewhere == 4);
  const QStringList words = historyWords(history, first, 0);
  CHECK(words.first().contains(QStringLiteral("only run of its work")));
  CHECK(words.last().contains(QStringLiteral("L2 was warm")));
  CHECK(historyFor(nullptr, 0, {first}, {}).empty());
}

TEST_CASE("what a session did not keep is said in words") {
  Selected selected;
  CHECK(keptText(selected).isEmpty());
  selected.run = uitest::syntheticRun();
  CHECK(keptText(selected).isEmpty());
  selected.run = std::make_shared<Run>(reducedTo(RecordsKept::Summary, *uitest::syntheticRun()));
  CHECK(keptText(selected).contains(QStringLiteral("no raw records")));
  selected.run = std::make_shared<Run>(reducedTo(RecordsKept::None, *uitest::syntheticRun()));
  CHECK(keptText(selected).contains(QStringLiteral("no iteration")));
}
