// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QStyleFactory>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "panels/inspector_panel.h"
#include "panels/kernels_panel.h"
#include "panels/verdict_bar.h"
#include "plots/timeline_plot.h"
#include "state/focus.h"
#include "state/text.h"
#include "ui/dark_palette.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"

// What no ordinary pass holds, and what must be drawn all the same.
// OPSCOPE_LOOK=folder keeps a picture of each, in light and dark.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::TraceBuilder;
using opscope::uitest::waitFor;

namespace {

using Kind = SelectedItem::Kind;

struct Shown : Bench {
  Shown(const char* name, std::shared_ptr<const Run> shown) : run(std::move(shown)) {
    window.session().add(run);
    window.selection().select(openingSelection(run));
    wait();
    if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) return;
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    const QPalette light = QApplication::palette();
    for (const bool dark : {false, true}) {
      QApplication::setPalette(dark ? uitest::darkPalette() : light);
      wait();
      uitest::settleFor();
      REQUIRE(window.grab().save(QStringLiteral("%1/%2extreme-%3.png")
                                     .arg(qEnvironmentVariable("OPSCOPE_LOOK"),
                                          dark ? QStringLiteral("dark-") : QStringLiteral("light-"),
                                          QString::fromUtf8(name))));
    }
    QApplication::setPalette(light);
    uitest::settleFor();
  }
  TimelinePlot& plot() { return window.timeline(); }
  void wait() {
    REQUIRE(waitFor([&] { return !plot().isBusy(); }));
    QCoreApplication::processEvents();
  }
  std::vector<const Lane*> lanes(LaneKind kind) {
    std::vector<const Lane*> found;
    for (const Lane& lane : plot().lanes().lanes)
      if (lane.kind == kind) found.push_back(&lane);
    return found;
  }
  /// Whether something but ground is drawn where an item is.
  bool isDrawn(LaneKind kind, std::size_t nth, std::size_t item) {
    std::size_t seen = 0;
    const auto& all = plot().lanes().lanes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind != kind || seen++ != nth) continue;
      const QImage image = plot().grab().toImage();
      const double scale = image.devicePixelRatio();
      const LaneItem& one = all[i].items.at(item);
      const double from = plot().transform().xOf(static_cast<double>(one.start));
      const double to = plot().transform().xOf(static_cast<double>(one.end));
      const int y = static_cast<int>((plot().laneCentre(i) - 0.5) * scale);
      const QRgb ground = plot().palette().color(QPalette::Base).rgb();
      for (int x = static_cast<int>(from * scale) - 1; x <= static_cast<int>(to * scale) + 1; ++x) {
        if (!image.rect().contains(x, y)) continue;
        const QColor here = image.pixelColor(x, y);
        // Bands and separators are nearly ground.
        if (std::abs(here.lightness() - QColor(ground).lightness()) > 25) return true;
      }
      return false;
    }
    return false;
  }
  std::shared_ptr<const Run> run;
};

std::shared_ptr<const Run> one(TraceBuilder& builder, Ns drained) {
  builder.end(drained);
  return uitest::runOf(std::move(builder.trace));
}

}  // namespace

TEST_CASE("kernels that overlap in one stream are drawn beside each other, and counted once") {
  TraceBuilder builder;
  builder.begin();
  builder.kernel("first", 0, 10'000, 7, -5'000);
  builder.kernel("second", 2'000, 10'000, 7, -4'000);
  builder.kernel("third", 4'000, 2'000, 7, -3'000);
  builder.kernel("after", 12'000, 3'000, 7, -2'000);
  Shown shown("overlap", one(builder, 20'000));
  CHECK(shown.run->implementations[0].busy.median == 15'000);
  const auto streams = shown.lanes(LaneKind::Stream);
  REQUIRE(streams.size() == 3);
  std::size_t items = 0;
  for (std::size_t lane = 0; lane < streams.size(); ++lane) {
    CHECK(streams[lane]->id == 7);
    CHECK(streams[lane]->subLane == lane);
    items += streams[lane]->items.size();
    for (std::size_t i = 0; i < streams[lane]->items.size(); ++i) {
      CAPTURE(lane, i);
      CHECK(shown.isDrawn(LaneKind::Stream, lane, i));
    }
  }
  CHECK(items == 4);
}

TEST_CASE("kernels of a nanosecond are drawn, and framed") {
  TraceBuilder builder;
  builder.begin();
  for (int i = 0; i < 20; ++i) builder.kernel("tick", i * 1'000, 1, 7, -5'000 + i);
  Shown shown("nanosecond", one(builder, 25'000));
  CHECK(shown.run->implementations[0].busy.median == 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(shown.isDrawn(LaneKind::Stream, 0, i));
  shown.window.selection().selectItem({Kind::Kernel, 10});
  shown.plot().frameSelection();
  CHECK(shown.plot().transform().span() < 100);
  CHECK(shown.isDrawn(LaneKind::Stream, 0, 10));
  CHECK(shown.window.findChild<InspectorPanel*>()->toPlainText().contains(QStringLiteral("1 ns")));
}

TEST_CASE("a kernel of a microsecond beside one of ten seconds is drawn, found and framed") {
  TraceBuilder builder;
  builder.begin();
  builder.kernel("long", 0, 10 * kSecond, 7, -5'000);
  builder.kernel("short", 5 * kSecond, 1'000, 9, -4'000);
  builder.kernel("last", 10 * kSecond + 1'000, 1'000, 9, -3'000);
  Shown shown("ten-seconds", one(builder, 10 * kSecond + 10'000));
  CHECK(shown.run->implementations[0].busy.median == static_cast<double>(10 * kSecond + 1'000));
  shown.plot().fitAll();
  CHECK(shown.isDrawn(LaneKind::Stream, 0, 0));
  CHECK(shown.isDrawn(LaneKind::Stream, 1, 0));
  CHECK(shown.isDrawn(LaneKind::Stream, 1, 1));
  shown.window.selection().selectItem({Kind::Kernel, 1});
  shown.plot().frameSelection();
  CHECK(shown.plot().transform().span() < 100'000);
  CHECK(shown.isDrawn(LaneKind::Stream, 1, 0));
  // From ten seconds away: the gap of a microsecond.
  shown.plot().selectLargestGap();
  REQUIRE(shown.window.selection().now().item.kind == Kind::Gap);
  CHECK(shown.isDrawn(LaneKind::Gaps, 0, 0));
}

TEST_CASE("ten thousand streams have a lane each, in a picture that a machine has room for") {
  TraceBuilder builder;
  builder.begin();
  constexpr std::uint32_t kStreams = 10'000;
  for (std::uint32_t s = 0; s < kStreams; ++s)
    builder.kernel("k", Ns{s} * 10, 20'000, s + 1, -500'000 + Ns{s} * 50);
  Shown shown("streams", one(builder, 200'000));
  CHECK(shown.run->implementations[0].busy.median == 20'000 + 10 * (kStreams - 1));
  const auto streams = shown.lanes(LaneKind::Stream);
  REQUIRE(streams.size() == kStreams);
  CHECK(shown.plot().naturalHeight() < 7'000);
  shown.plot().fitAll();
  for (const std::size_t lane :
       {std::size_t{0}, std::size_t{1}, std::size_t{4'999}, std::size_t{kStreams - 1}})
    CHECK(shown.isDrawn(LaneKind::Stream, lane, 0));
  // By hand and by key: a lane thinner than a pixel is still a lane.
  shown.window.selection().selectItem({Kind::Kernel, 5'000});
  CHECK(shown.window.findChild<InspectorPanel*>()->toPlainText().contains(QStringLiteral("5001")));
  shown.plot().selectLaunch();
  CHECK(shown.window.selection().now().item == SelectedItem{Kind::Launch, 5'000});
  shown.plot().setMode(TimelineMode::Pass);
  shown.wait();
  CHECK(shown.lanes(LaneKind::Stream).size() == kStreams);
  CHECK(shown.plot().naturalHeight() < 7'000);
}

TEST_CASE("a pass of one kernel has a view, a number and no gap") {
  TraceBuilder builder;
  builder.begin();
  builder.kernel("alone", 0, 12'500, 7, -5'000);
  Shown shown("one-kernel", one(builder, 20'000));
  CHECK(shown.run->implementations[0].busy.median == 12'500);
  CHECK(shown.run->implementations[0].busy.n == 1);
  CHECK(shown.isDrawn(LaneKind::Stream, 0, 0));
  CHECK(shown.lanes(LaneKind::Gaps).empty());
  shown.plot().selectLargestGap();
  shown.plot().stepGap(1);
  shown.plot().stepIteration(1);
  shown.plot().stepKernel(1);
  shown.plot().setMode(TimelineMode::Overlay);
  shown.wait();
  shown.plot().setMode(TimelineMode::Pass);
  shown.wait();
  CHECK(shown.isDrawn(LaneKind::Stream, 0, 0));
  CHECK(shown.window.verdictBar().plainText().contains(QStringLiteral("12.50 us busy")));
}

TEST_CASE("names of four thousand characters fit into every view") {
  const std::string plain(4'000, 'k');
  const std::string nested = "void " + std::string(1'990, 'a') + "<" + std::string(1'990, 'b') + ">(float*)";
  TraceBuilder builder;
  builder.begin();
  builder.kernel(plain.c_str(), 0, 10'000, 7, -5'000);
  builder.kernel(nested.c_str(), 14'000, 10'000, 7, -4'000);
  Shown shown("long-names", one(builder, 30'000));
  CHECK(shown.isDrawn(LaneKind::Stream, 0, 0));
  CHECK(shown.isDrawn(LaneKind::Stream, 0, 1));
  shown.window.selection().selectItem({Kind::Kernel, 0});
  QCoreApplication::processEvents();
  auto* inspector = shown.window.findChild<InspectorPanel*>();
  CHECK(inspector->toPlainText().contains(QStringLiteral("kkk … kkk")));
  CHECK(inspector->toPlainText().contains(QStringLiteral("copy all 4000 characters")));
  CHECK(inspector->toPlainText().size() < 2'000);
  Q_EMIT inspector->anchorClicked(QUrl(QStringLiteral("name:0")));
  CHECK(QApplication::clipboard()->text() == QString::fromStdString(plain));
  // No name makes the window wider than it was asked to be.
  CHECK(shown.window.minimumSizeHint().width() <= 1'440);
  CHECK(shown.window.width() == 1'440);
  CHECK(shown.window.findChild<KernelsPanel*>()->model().rowCount() == 2);
}

TEST_CASE("kernels without a launch record are drawn, and their gaps say so") {
  TraceBuilder builder;
  builder.begin();
  builder.kernel("first", 0, 3'000, 7, -5'000);
  builder.kernel("second", 10'000, 3'000, 7, -4'000);
  builder.trace.launches.clear();
  Shown shown("no-launches", one(builder, 20'000));
  REQUIRE(shown.run->implementations[0].hasNumber());
  CHECK(shown.run->implementations[0].busy.median == 6'000);
  CHECK(shown.lanes(LaneKind::Host).empty());
  CHECK(shown.isDrawn(LaneKind::Stream, 0, 0));
  REQUIRE(shown.run->passes[0]->gaps.size() == 1);
  CHECK(shown.run->passes[0]->gaps[0].cause == GapCause::NoLaunchRecord);
  CHECK(shown.isDrawn(LaneKind::Gaps, 0, 0));
  shown.window.selection().selectItem({Kind::Kernel, 0});
  shown.plot().selectLaunch();  // there is none to go to
  CHECK(shown.window.selection().now().item == SelectedItem{Kind::Kernel, 0});
  shown.window.selection().selectItem({Kind::Gap, 0});
  CHECK(shown.window.findChild<InspectorPanel*>()->toPlainText().contains(
      text(nameOf(GapCause::NoLaunchRecord))));
}

TEST_CASE("every failure of the method has its banner and no number in a picture", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  for (const ErrorCode code :
       {ErrorCode::RecordsLost, ErrorCode::OffThreadLaunch, ErrorCode::NoKernel,
        ErrorCode::DropCounterUnproven, ErrorCode::TimestampsMissing, ErrorCode::MixedMethods}) {
    const std::string name = "failure-" + std::string(nameOf(code));
    const std::shared_ptr<const Run> run = uitest::failingRun(code);
    Shown shown(name.c_str(), run);
    shown.window.selection().select(medianSelection(run, 1));
    shown.wait();
    uitest::settleFor();
    REQUIRE(shown.window.grab().save(
        QStringLiteral("%1/selected-%2.png")
            .arg(qEnvironmentVariable("OPSCOPE_LOOK"), QString::fromStdString(name))));
  }
}
