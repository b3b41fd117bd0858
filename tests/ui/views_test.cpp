// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "panels/timeline_bar.h"
#include "plots/distribution_plot.h"
#include "plots/drift_plot.h"
#include "plots/minimap.h"
#include "plots/strip_plot.h"
#include "plots/timeline_plot.h"
#include "state/focus.h"
#include "state/navigation.h"
#include "ui/synthetic_run.h"
#include "ui/wait_for.h"

using namespace opscope;
using namespace opscope::ui;
using Catch::Approx;
using opscope::uitest::waitFor;

namespace {

void mouse(QWidget& to, QEvent::Type type, QPointF at, Qt::MouseButtons held,
           Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QMouseEvent event(type, at, to.mapToGlobal(at), Qt::LeftButton, held, modifiers);
  QCoreApplication::sendEvent(&to, &event);
}

/// A timeline with what moves along with it.
struct Joined {
  explicit Joined(std::shared_ptr<const Run> shown = uitest::syntheticRun()) : run(std::move(shown)) {
    plot.resize(1'000, 360);
    plot.show();
    bar.show();
    minimap.resize(1'000, 26);
    minimap.show();
    QCoreApplication::processEvents();
    selection.select(openingSelection(run));
    QCoreApplication::processEvents();
  }
  const Lane* lane(LaneKind kind) const {
    for (const Lane& one : plot.lanes().lanes) {
      if (one.kind == kind) return &one;
    }
    return nullptr;
  }
  QPointF at(LaneKind kind, double ns) const {
    for (std::size_t i = 0; i < plot.lanes().lanes.size(); ++i) {
      if (plot.lanes().lanes[i].kind == kind) return {plot.transform().xOf(ns), plot.laneCentre(i)};
    }
    return {-1, -1};
  }

  std::shared_ptr<const Run> run;
  Selection selection;
  TimelinePlot plot{selection};
  TimelineBar bar{selection, plot};
  Minimap minimap{selection, plot};
};

}  // namespace

TEST_CASE("the timeline shows one iteration, all overlaid, or the whole pass") {
  Joined shown;
  const double one = shown.plot.transform().span();
  const auto item = shown.selection.now().item;
  shown.plot.setMode(TimelineMode::Overlay);
  CHECK(shown.plot.lanes().of == 40);
  CHECK(shown.selection.now().item == item);
  CHECK(shown.plot.transform().span() == Approx(one).epsilon(0.05));
  shown.plot.setMode(TimelineMode::Pass);
  REQUIRE(shown.lane(LaneKind::Marks));
  CHECK(shown.lane(LaneKind::Marks)->items.size() == 20);
  CHECK(shown.plot.transform().span() > 30 * one);
  // A click in the lane of iterations selects one; so does one on a kernel of another iteration.
  const auto& mark = shown.lane(LaneKind::Marks)->items[13];
  const double middle = static_cast<double>(mark.start + mark.end) / 2;
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Marks, middle).toPoint());
  CHECK(shown.selection.now().iteration == 13);
  shown.plot.goBack();
  CHECK(shown.plot.mode() == TimelineMode::Overlay);
  shown.plot.goBack();
  CHECK(shown.plot.mode() == TimelineMode::Iteration);
  CHECK(shown.plot.transform().span() == Approx(one));
  shown.plot.goForward();
  CHECK(shown.plot.mode() == TimelineMode::Overlay);
}

TEST_CASE("in a whole pass a kernel brings its own iteration and gaps go on into the next") {
  Joined shown;
  shown.plot.setMode(TimelineMode::Pass);
  const Pass& pass = *shown.selection.now().passOrNull();
  const PassIndex index(shown.run->passes[static_cast<std::size_t>(shown.selection.now().pass)]);
  const std::uint32_t kernel = index.attribution().kernelsOf(17)[0];
  const double start = static_cast<double>(pass.trace.kernels[kernel].start - shown.plot.lanes().origin);
  for (int i = 0; i < 12; ++i) shown.plot.zoomBy(0.7);
  shown.plot.showFrom(start - shown.plot.transform().span() / 2);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, shown.at(LaneKind::Stream, start + 1'500).toPoint());
  CHECK(shown.selection.now().item == SelectedItem{SelectedItem::Kind::Kernel, kernel});
  CHECK(shown.selection.now().iteration == 17);

  Selected last = shown.selection.now();
  last.iteration = 4;
  last.item = {SelectedItem::Kind::Gap, gapsOf(pass, 4).to - 1};
  shown.selection.select(last);
  shown.plot.stepGap(1);
  CHECK(shown.selection.now().iteration == 5);
  CHECK(shown.selection.now().item == SelectedItem{SelectedItem::Kind::Gap, gapsOf(pass, 5).from});
  shown.plot.stepGap(-1);
  CHECK(shown.selection.now().iteration == 4);
}

TEST_CASE("an overlay steps through iterations without laying all out again") {
  Joined shown;
  shown.plot.setMode(TimelineMode::Overlay);
  const auto first = shown.selection.now().iteration;
  shown.plot.stepIteration(1);
  CHECK(shown.selection.now().iteration != first);
  CHECK(shown.plot.lanes().of == 40);
  shown.selection.select(medianSelection(shown.run, 0));  // the other implementation
  CHECK(shown.plot.lanes().of == 40);
  CHECK(shown.lane(LaneKind::Stream)->blurs.size() == 1);
}

TEST_CASE("a pass of many records is laid out in the background") {
  Joined shown(uitest::longRun(60'000));
  REQUIRE(waitFor([&] { return !shown.plot.lanes().lanes.empty(); }));
  CHECK_FALSE(shown.plot.isBusy());
  shown.plot.setMode(TimelineMode::Pass);
  CHECK(shown.plot.isBusy());
  CHECK(shown.plot.lanes().lanes.empty());
  shown.plot.selectLargestGap();  // input meanwhile must find nothing, not crash
  shown.plot.stepKernel(1);
  QTest::mouseClick(&shown.plot, Qt::LeftButton, {}, {500, 100});
  REQUIRE(waitFor([&] { return !shown.plot.isBusy(); }));
  CHECK(shown.lane(LaneKind::Stream)->items.size() == 60'000);
}

TEST_CASE("kernels are found by expression, one after the other") {
  Joined shown;
  auto* search = shown.bar.findChild<QLineEdit*>();
  REQUIRE(search);
  QTest::keyClicks(search, QStringLiteral("scale|square"));
  CHECK(shown.plot.matches().size() == 2);
  CHECK(shown.bar.matchText() == QStringLiteral("2 fit"));
  QTest::keyClick(search, Qt::Key_Return);
  CHECK(shown.bar.matchText() == QStringLiteral("1 of 2"));
  QTest::keyClick(search, Qt::Key_Return);
  CHECK(shown.bar.matchText() == QStringLiteral("2 of 2"));
  QTest::keyClick(search, Qt::Key_Return);
  CHECK(shown.bar.matchText() == QStringLiteral("1 of 2"));
  QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
  CHECK(shown.bar.matchText() == QStringLiteral("2 of 2"));
  search->setText(QStringLiteral("scale<float>("));
  CHECK(shown.bar.matchText() == QStringLiteral("1 of 1 (as plain text)"));
  search->setText(QStringLiteral("nothing"));
  CHECK(shown.bar.matchText() == QStringLiteral("nothing fits"));
  shown.plot.stepMatch(1);
  QTest::keyClick(search, Qt::Key_Escape);
  CHECK_FALSE(shown.plot.filter().any());
  CHECK(shown.bar.matchText().isEmpty());
}

TEST_CASE("filters are chips that can be removed") {
  Joined shown;
  KernelFilter filter;
  filter.streams = {9};
  filter.names = {"rsqrt_kernel"};
  shown.plot.setFilter(filter);
  CHECK(shown.plot.matches().size() == 1);
  REQUIRE(shown.bar.chips().size() == 2);
  CHECK(shown.bar.chips()[0].startsWith(QStringLiteral("stream 9")));
  shown.bar.findChild<QToolButton*>(QStringLiteral("chip"))->click();
  CHECK(shown.plot.filter().streams.empty());
  REQUIRE(shown.bar.chips().size() == 1);
  shown.selection.selectBrush(Brush{Brush::Quantity::Busy, 9'000, 10'000});
  REQUIRE(shown.bar.chips().size() == 2);
  CHECK(shown.bar.chips()[1].startsWith(QStringLiteral("busy 9.000 - 10.00 us")));
}

TEST_CASE("Shift and a click set two rulers that snap to edges") {
  Joined shown;
  const auto click = [&](QPointF at, Qt::KeyboardModifiers modifiers) {
    mouse(shown.plot, QEvent::MouseButtonPress, at, Qt::LeftButton, modifiers);
    mouse(shown.plot, QEvent::MouseButtonRelease, at, Qt::NoButton, modifiers);
  };
  const auto item = shown.selection.now().item;
  click(shown.at(LaneKind::Gaps, 3'000) + QPointF(3, 0), Qt::ShiftModifier);
  CHECK(shown.plot.rulerA() == 3'000);
  CHECK_FALSE(shown.plot.rulerB());
  click(shown.at(LaneKind::Gaps, 10'400) + QPointF(2, 0), Qt::ShiftModifier);
  CHECK(shown.plot.rulerB() == 10'400);
  CHECK(shown.selection.now().item == item);
  CHECK_FALSE(shown.selection.now().range);
  click(shown.at(LaneKind::Gaps, 7'000), Qt::ShiftModifier | Qt::AltModifier);
  CHECK(*shown.plot.rulerA() == Approx(7'000).margin(40));
  CHECK_FALSE(shown.plot.rulerB());
  shown.plot.clearRulers();
  CHECK_FALSE(shown.plot.rulerA());
}

TEST_CASE("the minimap shows where the view is and goes elsewhere") {
  Joined shown;
  const QRectF first = shown.minimap.viewRect();
  CHECK(first.width() < 60);
  QTest::mouseClick(&shown.minimap, Qt::LeftButton, {}, {950, 13});
  CHECK(shown.selection.now().iteration >= 17);
  CHECK(shown.minimap.viewRect().left() > 850);
  shown.plot.setMode(TimelineMode::Pass);
  CHECK(shown.minimap.viewRect().width() > 800);
  for (int i = 0; i < 10; ++i) shown.plot.zoomBy(0.7);
  QTest::mouseClick(&shown.minimap, Qt::LeftButton, {}, {300, 13});
  CHECK(shown.minimap.viewRect().center().x() == Approx(300).margin(3));
}

TEST_CASE("a click on a dot of the drift selects its iteration") {
  Selection selection;
  DriftPlot plot(selection);
  plot.resize(900, 300);
  plot.show();
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  selection.select(openingSelection(run));
  REQUIRE(waitFor([&] { return plot.pixelOf({0, 0}).has_value(); }));
  plot.replot(QCustomPlot::rpImmediateRefresh);
  const auto at = plot.pixelOf({3, 19});
  REQUIRE(at);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, at->toPoint());
  CHECK(selection.now().pass == 3);
  // All 20 iterations of a pass lie within a pixel here: any of them is meant.
  CHECK(selection.now().implementation() == 0);
  const double relative = plot.yAxis->range().upper;
  plot.setRelative(false);
  CHECK(plot.yAxis->range().upper > relative);  // 12.7 us instead of 0.9 %
  selection.select(medianSelection(uitest::failingRun(ErrorCode::NoKernel), 1));
  CHECK(plot.drift().points[1].empty());
  selection.select({});
  CHECK(plot.drift().points.empty());
}

TEST_CASE("a drag over the distribution brushes iterations and a click lets go") {
  Selection selection;
  DistributionPlot plot(selection);
  plot.resize(900, 240);
  plot.show();
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  selection.select(openingSelection(run));
  QCoreApplication::processEvents();
  plot.replot(QCustomPlot::rpImmediateRefresh);
  const double y = 140;
  const double from = plot.pixelOf(Brush::Quantity::Busy, 12'000);
  const double to = plot.pixelOf(Brush::Quantity::Busy, 13'000);
  mouse(plot, QEvent::MouseButtonPress, {from, y}, Qt::LeftButton);
  mouse(plot, QEvent::MouseMove, {to, y}, Qt::LeftButton);
  mouse(plot, QEvent::MouseButtonRelease, {to, y}, Qt::NoButton);
  REQUIRE(selection.now().brush);
  CHECK(selection.now().brush->quantity == Brush::Quantity::Busy);
  CHECK(selection.now().brush->holds(run->passes[0]->samples[0]));
  CHECK_FALSE(selection.now().brush->holds(run->passes[1]->samples[0]));
  CHECK(plot.brushText().startsWith(QStringLiteral("40 of 80")));
  selection.selectIteration(1, 2);
  CHECK(selection.now().brush);  // what is set apart stays while one steps through
  QTest::mouseClick(&plot, Qt::LeftButton, {}, {static_cast<int>(from), static_cast<int>(y)});
  CHECK_FALSE(selection.now().brush);
}

TEST_CASE("passes of a measurement in progress are drawn as they arrive") {
  Selection selection;
  StripPlot strip(selection);
  strip.resize(800, 140);
  strip.show();
  const auto run = uitest::syntheticRun();
  selection.select(openingSelection(run));
  auto live = std::make_shared<Run>(*run);
  live->passes.resize(1);
  strip.showLive(live);
  CHECK(strip.layoutShown().passes.size() == 1);
  QTest::mouseClick(&strip, Qt::LeftButton, {}, {400, 80});
  CHECK(selection.now() == openingSelection(run));
  strip.showLive(nullptr);
  CHECK(strip.layoutShown().passes.size() == 4);
}
