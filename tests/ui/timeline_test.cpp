// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "plots/strip_plot.h"
#include "plots/timeline_plot.h"
#include "state/focus.h"
#include "state/inspection.h"
#include "state/navigation.h"
#include "ui/synthetic_run.h"

using namespace opscope;
using namespace opscope::ui;
using Catch::Approx;

namespace {

struct Shown {
  explicit Shown(std::shared_ptr<const Run> shown = uitest::syntheticRun()) : run(std::move(shown)) {
    plot.resize(1'000, 300);
    plot.show();
    QCoreApplication::processEvents();
    selection.select(openingSelection(run));
    QCoreApplication::processEvents();
  }

  void wheel(double x, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    const QPointF at(x, 100);
    QWheelEvent event(at, plot.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&plot, &event);
  }

  QPoint at(LaneKind kind, double ns) const {
    for (std::size_t i = 0; i < plot.lanes().lanes.size(); ++i) {
      if (plot.lanes().lanes[i].kind == kind) {
        return {static_cast<int>(std::lround(plot.transform().xOf(ns))),
                static_cast<int>(plot.laneCentre(i))};
      }
    }
    return {-1, -1};
  }

  void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    const auto send = [&](QEvent::Type type, QPoint where, Qt::MouseButtons held) {
      QMouseEvent event(type, where, plot.mapToGlobal(where), Qt::LeftButton, held, modifiers);
      QCoreApplication::sendEvent(&plot, &event);
    };
    send(QEvent::MouseButtonPress, from, Qt::LeftButton);
    send(QEvent::MouseMove, (from + to) / 2, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::NoButton);
  }

  std::shared_ptr<const Run> run;
  Selection selection;
  TimelinePlot plot{selection};
};

}  // namespace

TEST_CASE("the wheel zooms and keeps the time under the cursor") {
  Shown shown;
  const double under = shown.plot.transform().nsAt(640);
  const double span = shown.plot.transform().span();
  shown.wheel(640, 120);
  CHECK(shown.plot.transform().nsAt(640) == Approx(under));
  CHECK(shown.plot.transform().span() == Approx(span * 0.8));
  shown.wheel(640, 120, Qt::ControlModifier);
  CHECK(shown.plot.transform().nsAt(640) == Approx(under));
  CHECK(shown.plot.transform().span() == Approx(span * 0.8 * 0.95));
  const double start = shown.plot.transform().start();
  shown.wheel(640, -120, Qt::ShiftModifier);
  CHECK(shown.plot.transform().start() > start);
  CHECK(shown.plot.transform().span() == Approx(span * 0.8 * 0.95));
}

TEST_CASE("a click selects what is under the mouse") {
  Shown shown;
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Stream, 1'500));
  CHECK(shown.selection.now().item.kind == SelectedItem::Kind::Kernel);
  const Pass& pass = *shown.selection.now().passOrNull();
  CHECK(pass.trace.names.text(pass.trace.kernels[shown.selection.now().item.index].nameId) ==
        "void square<float>(float*)");
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Gaps, 15'350));
  REQUIRE(shown.selection.now().item.kind == SelectedItem::Kind::Gap);
  CHECK(pass.gaps[shown.selection.now().item.index].length() == 700);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Host, 5'900));
  CHECK(shown.selection.now().item.kind == SelectedItem::Kind::Launch);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Copies, 3'400));
  CHECK(shown.selection.now().item.kind == SelectedItem::Kind::Memop);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {},
                    shown.at(LaneKind::Stream, 7'000));  // between two kernels
  CHECK(shown.selection.now().item.kind == SelectedItem::Kind::None);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Busy, 1'500));
  REQUIRE(shown.selection.now().range);
  CHECK(shown.selection.now().range->length() == 3'000);
}

TEST_CASE("a drag makes a range whose ends snap to edges, with Alt to the pixel") {
  Shown shown;
  const QPoint near = shown.at(LaneKind::Gaps, 3'000) + QPoint(3, 0);
  const QPoint far = shown.at(LaneKind::Gaps, 10'400) - QPoint(4, 0);
  shown.drag(near, far);
  REQUIRE(shown.selection.now().range);
  CHECK(shown.selection.now().range->length() == 7'400);
  CHECK(shown.selection.now().item.kind == SelectedItem::Kind::Gap);  // what was selected stays
  shown.drag(near, far, Qt::AltModifier);
  CHECK(shown.selection.now().range->length() < 7'400);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Gaps, -2'000));
  CHECK_FALSE(shown.selection.now().range);
}

TEST_CASE("a middle drag pans") {
  Shown shown;
  shown.wheel(500, 480);
  const double under = shown.plot.transform().nsAt(500);
  QTest::mousePress(&shown.plot, Qt::MiddleButton, {}, {500, 100});
  QMouseEvent move(QEvent::MouseMove, QPointF(430, 100), shown.plot.mapToGlobal(QPointF(430, 100)),
                   Qt::NoButton, Qt::MiddleButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&shown.plot, &move);
  QTest::mouseRelease(&shown.plot, Qt::MiddleButton, {}, {430, 100});
  CHECK(shown.plot.transform().nsAt(430) == Approx(under));
}

TEST_CASE("a double click frames; back and forward go through views") {
  Shown shown;
  const double all = shown.plot.transform().span();
  const QPoint kernel = shown.at(LaneKind::Stream, 1'500);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, kernel);
  QTest::mouseDClick(&shown.plot, Qt::LeftButton, {}, kernel);
  const double framed = shown.plot.transform().span();
  CHECK(framed < all / 2);
  CHECK(shown.plot.transform().start() < 0);
  CHECK(shown.plot.transform().end() > 3'000);
  shown.plot.goBack();
  CHECK(shown.plot.transform().span() == Approx(all));
  shown.plot.goForward();
  CHECK(shown.plot.transform().span() == Approx(framed));
  shown.plot.fitAll();
  CHECK(shown.plot.transform().span() == Approx(all));
}

TEST_CASE("history leads back to another iteration") {
  Shown shown;
  const auto first = shown.selection.now().iteration;
  shown.plot.stepIteration(1);
  CHECK(shown.selection.now().iteration != first);
  shown.plot.goBack();
  CHECK(shown.selection.now().iteration == first);
  shown.plot.goForward();
  CHECK(shown.selection.now().iteration != first);
}

TEST_CASE("gap by gap, kernel by kernel, launch and back") {
  Shown shown;
  const Pass& pass = *shown.selection.now().passOrNull();
  const auto selectedGap = [&] { return pass.gaps[shown.selection.now().item.index].length(); };
  shown.selection.selectItem({});
  shown.plot.selectLargestGap();
  REQUIRE(shown.selection.now().item.kind == SelectedItem::Kind::Gap);
  CHECK(selectedGap() == 7'400);
  shown.plot.stepGap(1);
  CHECK(selectedGap() == 700);
  shown.plot.stepGap(1);  // there is none: nothing changes
  CHECK(selectedGap() == 700);
  shown.plot.stepGap(-1);
  CHECK(selectedGap() == 7'400);
  shown.plot.selectKernel();
  const auto kernel = shown.selection.now().item;
  CHECK(kernel.kind == SelectedItem::Kind::Kernel);
  shown.plot.selectLaunch();
  CHECK(shown.selection.now().item.kind == SelectedItem::Kind::Launch);
  shown.plot.selectKernel();
  CHECK(shown.selection.now().item == kernel);
  shown.plot.stepKernel(-1);
  CHECK(shown.selection.now().item != kernel);
  shown.plot.stepKernel(1);
  CHECK(shown.selection.now().item == kernel);
}

TEST_CASE("what is selected elsewhere comes into view") {
  Shown shown;
  for (int i = 0; i < 10; ++i) shown.wheel(shown.plot.transform().xOf(1'000), 120);
  CHECK(shown.plot.transform().end() < 15'000);
  const Pass& pass = *shown.selection.now().passOrNull();
  const auto iteration = static_cast<std::uint32_t>(shown.selection.now().iteration);
  shown.selection.selectItem({SelectedItem::Kind::Gap, gapsOf(pass, iteration).to - 1});
  CHECK(shown.plot.transform().start() < 15'350);
  CHECK(shown.plot.transform().end() > 15'350);
}

TEST_CASE("a failed implementation shows its records without BUSY and gaps") {
  Selection selection;
  TimelinePlot plot(selection);
  plot.resize(900, 300);
  plot.show();
  Selected selected;
  selected.run = uitest::failingRun(ErrorCode::OffThreadLaunch);
  selected.pass = 1;
  selected.iteration = 19;
  selection.select(selected);
  bool numbers = false;
  bool stray = false;
  for (const Lane& lane : plot.lanes().lanes) {
    numbers = numbers || lane.kind == LaneKind::Busy || lane.kind == LaneKind::Gaps;
    stray = stray || lane.kind == LaneKind::Stray;
  }
  CHECK_FALSE(numbers);
  CHECK(stray);
  plot.selectLargestGap();
  CHECK(selection.now().item.kind == SelectedItem::Kind::None);
  plot.stepGap(1);
  CHECK(selection.now().item.kind == SelectedItem::Kind::None);
}

TEST_CASE("an empty timeline takes every input") {
  Selection selection;
  TimelinePlot plot(selection);
  plot.resize(600, 200);
  plot.show();
  plot.selectLargestGap();
  plot.stepGap(1);
  plot.stepKernel(1);
  plot.stepIteration(-1);
  plot.selectLaunch();
  plot.selectKernel();
  plot.frameSelection();
  plot.goBack();
  plot.goForward();
  plot.zoomBy(0.5);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, {300, 100});
  QTest::mouseDClick(&plot, Qt::LeftButton, {}, {300, 100});
  CHECK(selection.now() == Selected{});
}

TEST_CASE("a click on the strip selects the iteration") {
  Selection selection;
  StripPlot strip(selection);
  strip.resize(1'000, 160);
  strip.show();
  selection.select(openingSelection(uitest::syntheticRun()));
  QCoreApplication::processEvents();
  const double x = strip.pixelOf({3, 7});
  QTest::mouseClick(&strip, Qt::LeftButton, {}, {static_cast<int>(std::lround(x)), 80});
  CHECK(selection.now().pass == 3);
  CHECK(selection.now().iteration == 7);
  QTest::mouseClick(&strip, Qt::LeftButton, {}, {2, 80});  // beside the bars
  CHECK(selection.now().pass == 3);
}

TEST_CASE("a range that the op marks is selected, found again and described") {
  Shown shown(uitest::markedRun());
  shown.selection.selectIteration(0, 3);
  QCoreApplication::processEvents();
  const auto inspected = [&] {
    QString all;
    for (const InspectionRow& row : inspect(shown.selection.now()))
      all += row.label + u'=' + row.value + u'\n';
    return all;
  };
  // The first lane is that of thread 77: it holds the end of something that was begun before.
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Ranges, -5'950));
  REQUIRE(shown.selection.now().item.kind == SelectedItem::Kind::Range);
  CHECK(shown.selection.now().iteration == 3);
  CHECK(inspected().contains(QStringLiteral("(begun before)")));
  CHECK_FALSE(inspected().contains(QStringLiteral("length=")));

  const std::vector<RangeRecord>& ranges = shown.run->passes[0]->trace.ranges;
  const auto select = [&](const char* name) {
    for (std::uint32_t i = 0; i < ranges.size(); ++i)
      if (shown.run->passes[0]->trace.names.text(ranges[i].nameId) == name && ranges[i].threadId == 4'242)
        shown.selection.selectItem({SelectedItem::Kind::Range, i});
    QCoreApplication::processEvents();
  };
  select("open");
  CHECK(inspected().contains(QStringLiteral("It did not end while this pass was recorded")));
  select("prefetch");
  CHECK(inspected().contains(QStringLiteral("It ends in iteration 4")));
  CHECK(inspected().contains(QStringLiteral("length=32 000 ns")));
  CHECK(inspected().contains(QStringLiteral("domain=loader")));
}
