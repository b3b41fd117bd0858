// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the timeline costs the GUI thread: 1600 x 900, offscreen. Host CPU figures.
#include <benchmark/benchmark.h>
#include <qcustomplot.h>

#include <QApplication>
#include <QLineEdit>
#include <QMouseEvent>
#include <QTableView>
#include <QTemporaryDir>
#include <memory>
#include <random>

#include "panels/gaps_panel.h"
#include "plots/interval_plottable.h"
#include "plots/timeline_plot.h"
#include "session/store.h"
#include "state/focus.h"
#include "state/pass_indexes.h"
#include "timing/pass.h"

namespace {

using namespace opscope;
using namespace opscope::ui;

constexpr int kLanes = 16;

/// Kernels on 16 streams, in iterations of 1000, with a launch each: what a pass of a large op holds.
std::shared_ptr<const Run> makeRun(std::uint32_t kernels) {
  std::mt19937_64 random(1);
  auto pass = std::make_shared<Pass>();
  pass->method = "cupti";
  pass->l2 = "clean";
  Trace& trace = pass->trace;
  trace.dropped.proven = true;
  trace.internShape({128, 1, 1, 256, 1, 1, 32, 0, 0});
  const auto api = trace.names.intern("cudaLaunchKernelExC");
  std::uint32_t names[8];
  for (int i = 0; i < 8; ++i) names[i] = trace.names.intern("void kernel_" + std::to_string(i) + "<float>()");
  Ns at[kLanes];
  std::fill(std::begin(at), std::end(at), Ns{1'764'000'000'000'000'000});
  for (std::uint32_t k = 0; k < kernels; ++k) {
    if (k % 1'000 == 0) {
      const Ns next = *std::max_element(std::begin(at), std::end(at)) + 20'000;
      if (!trace.iterations.empty()) trace.iterations.back().drained = next - 15'000;
      trace.iterations.push_back({next - 10'000, next, next});
      std::fill(std::begin(at), std::end(at), next);
    }
    Ns& time = at[random() % kLanes];
    const auto stream = static_cast<std::uint32_t>(&time - at);
    const Ns start = time + static_cast<Ns>(random() % 3'000);
    const Ns end = start + 200 + static_cast<Ns>(random() % 5'000);
    trace.launches.push_back({start - 4'000, start - 3'200, k + 1, 1, api, LaunchKind::Kernel});
    KernelRecord record;
    record.start = start;
    record.end = end;
    record.queued = start - 3'300;
    record.correlationId = k + 1;
    record.nameId = names[random() % 8];
    record.streamId = stream + 7;
    trace.kernels.push_back(record);
    trace.externalIds.push_back({trace.iterations.size() - 1, k + 1});
    time = end;
  }
  trace.iterations.back().drained = *std::max_element(std::begin(at), std::end(at)) + 5'000;
  judge(*pass);
  auto run = std::make_shared<Run>();
  run->op = "bench";
  run->implementations.push_back({.name = "bench"});
  run->passes = {pass};
  summariseRun(*run);
  return run;
}

/// The plottable alone: exactly 16 lanes and nothing else to draw.
struct Lanes {
  explicit Lanes(std::size_t intervals) {
    std::mt19937_64 random(1);
    std::vector<BarRow> rows;
    for (int r = 0; r < kLanes; ++r) {
      BarRow row;
      row.top = 50.0 * r;
      row.height = 50;
      row.dense = Qt::darkBlue;
      Ns time = 0;
      for (std::uint32_t i = 0; i < intervals / kLanes; ++i) {
        const Ns length = 200 + static_cast<Ns>(random() % 5'000);
        row.bars.push_back({time, time + length, i});
        time += length + static_cast<Ns>(random() % 3'000);
      }
      end = std::max(end, static_cast<double>(time));
      row.looks.assign(row.bars.size(), 0);
      rows.push_back(std::move(row));
    }
    plot.setAttribute(Qt::WA_DontShowOnScreen);
    plot.resize(1'600, 900);
    plot.yAxis->setRangeReversed(true);
    plot.yAxis->setRange(0, 50.0 * kLanes);
    bars = new IntervalPlottable(plot.xAxis, plot.yAxis);
    bars->setRows(std::move(rows), {{Qt::darkBlue, Qt::SolidPattern, QStringLiteral("kernel"), false}});
    plot.show();
    QCoreApplication::processEvents();
  }
  QCustomPlot plot;
  IntervalPlottable* bars = nullptr;
  double end = 0;
};

/// Range(0) intervals, 1 / range(1) of the time in view.
void replotLanes(benchmark::State& state) {
  Lanes lanes(static_cast<std::size_t>(state.range(0)));
  const double span = lanes.end / static_cast<double>(state.range(1));
  lanes.plot.xAxis->setRange((lanes.end - span) / 2, (lanes.end + span) / 2);
  for (auto _ : state) lanes.plot.replot(QCustomPlot::rpImmediateRefresh);
  state.counters["lanes drawn exactly"] = lanes.bars->exactRows();
}
BENCHMARK(replotLanes)
    ->ArgNames({"intervals", "zoom"})
    ->ArgsProduct({{1'000'000, 10'000'000}, {1, 4, 16, 64, 256, 1'024, 4'096, 16'384}})
    ->Unit(benchmark::kMillisecond);

/// The timeline of a whole pass of 1e6 kernels, with its launches, BUSY, gaps and iterations.
struct Timeline {
  Timeline() : run(makeRun(1'000'000)) {
    selection.indexes().put(std::make_shared<const PassIndex>(run->passes[0]));
    plot.setAttribute(Qt::WA_DontShowOnScreen);
    plot.resize(1'600, 900);
    plot.show();
    Selected chosen;
    chosen.run = run;
    chosen.pass = 0;
    chosen.iteration = 500;
    selection.select(chosen);
    plot.setMode(TimelineMode::Pass);
    while (plot.isBusy()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    QCoreApplication::processEvents();
  }
  std::shared_ptr<const Run> run;
  Selection selection;
  TimelinePlot plot{selection};
};

Timeline& timeline() {
  static auto* kept = new Timeline;  // made once, never destroyed: the application ends before statics do
  return *kept;
}

void replotPass(benchmark::State& state) {
  Timeline& shown = timeline();
  shown.plot.fitAll();
  for (std::int64_t zoom = 1; zoom < state.range(0); zoom *= 2) shown.plot.zoomBy(0.5);
  for (auto _ : state) shown.plot.replot(QCustomPlot::rpImmediateRefresh);
}
BENCHMARK(replotPass)
    ->ArgName("zoom")
    ->ArgsProduct({{1, 4, 16, 64, 256, 1'024, 4'096}})
    ->Unit(benchmark::kMillisecond);

/// One move of the mouse: what is under it, the cursor line, the overlay.
void hoverPass(benchmark::State& state) {
  Timeline& shown = timeline();
  shown.plot.fitAll();
  for (std::int64_t zoom = 1; zoom < state.range(0); zoom *= 2) shown.plot.zoomBy(0.5);
  shown.plot.replot(QCustomPlot::rpImmediateRefresh);
  int x = 200;
  for (auto _ : state) {
    x = x >= 1'500 ? 200 : x + 1;
    const QPointF at(x, 300);
    QMouseEvent move(QEvent::MouseMove, at, at, Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&shown.plot, &move);
    QCoreApplication::processEvents();
  }
}
BENCHMARK(hoverPass)->ArgName("zoom")->Arg(1)->Arg(4'096)->Unit(benchmark::kMillisecond);

/// What a worker does before a pass of 1e6 kernels can be seen.
void indexPass(benchmark::State& state) {
  const auto pass = timeline().run->passes[0];
  for (auto _ : state) benchmark::DoNotOptimize(PassIndex(pass));
}
BENCHMARK(indexPass)->Unit(benchmark::kMillisecond);

/// The table of one iteration's gaps: a million of them, of 20 causes and kernels' names.
struct Gaps {
  Gaps() {
    std::mt19937_64 random(1);
    auto pass = std::make_shared<Pass>();
    Trace& trace = pass->trace;
    trace.dropped.proven = true;
    trace.internShape({128, 1, 1, 256, 1, 1, 32, 0, 0});
    const auto api = trace.names.intern("cudaLaunchKernelExC");
    Ns time = 1'764'000'000'000'000'000;
    trace.iterations.push_back({time - 10'000, time, time});
    for (std::uint32_t k = 0; k <= 1'000'000; ++k) {
      KernelRecord record;
      record.start = time;
      record.end = time + 200 + static_cast<Ns>(random() % 5'000);
      record.queued = time - static_cast<Ns>(random() % 8'000);
      record.correlationId = k + 1;
      record.nameId = trace.names.intern("void kernel_" + std::to_string(random() % 20) + "<float>()");
      record.streamId = 7;
      trace.kernels.push_back(record);
      trace.launches.push_back({time - 9'000, time - 8'200, k + 1, 1, api, LaunchKind::Kernel});
      trace.externalIds.push_back({0, k + 1});
      time = record.end + 1 + static_cast<Ns>(random() % 3'000);
    }
    trace.iterations.back().drained = time + 5'000;
    judge(*pass);
    auto run = std::make_shared<Run>();
    run->implementations.push_back({.name = "bench"});
    run->passes = {pass};
    summariseRun(*run);
    panel.setAttribute(Qt::WA_DontShowOnScreen);
    panel.resize(1'600, 400);
    panel.show();
    Selected chosen;
    chosen.run = run;
    chosen.pass = 0;
    chosen.iteration = 0;
    selection.select(chosen);
    QCoreApplication::processEvents();
  }
  void settle() {
    while (panel.model().isArranging()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 1);
  }
  Selection selection;
  GapsPanel panel{selection};
};

Gaps& gaps() {
  static auto* kept = new Gaps;
  return *kept;
}

/// From the click on a header until the rows are there. Wall time: the work is another thread's; CPU time is
/// what it costs the GUI thread.
void sortRows(benchmark::State& state) {
  Gaps& shown = gaps();
  bool up = true;
  for (auto _ : state) {
    shown.panel.view().sortByColumn(static_cast<int>(state.range(0)),
                                    up ? Qt::AscendingOrder : Qt::DescendingOrder);
    shown.settle();
    up = !up;
  }
  state.counters["rows"] = shown.panel.model().rowCount();
}
BENCHMARK(sortRows)->ArgName("column")->Arg(0)->Arg(2)->Arg(7)->UseRealTime()->Unit(benchmark::kMillisecond);

void filterRows(benchmark::State& state, const char* typed) {
  Gaps& shown = gaps();
  shown.panel.view().sortByColumn(-1, Qt::AscendingOrder);
  shown.settle();
  auto* field = shown.panel.findChild<QLineEdit*>();
  for (auto _ : state) {
    field->setText(QString::fromUtf8(typed));
    shown.settle();
    state.counters["rows"] = shown.panel.model().rowCount();
    state.PauseTiming();
    field->clear();
    shown.settle();
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(filterRows, word, "kernel_7")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(filterRows, number, "1.234")->UseRealTime()->Unit(benchmark::kMillisecond);

/// Opening a session of a pass of 1e6 kernels, as the window's worker does.
void openSession(benchmark::State& state) {
  const QTemporaryDir folder;
  const std::filesystem::path file = folder.filePath(QStringLiteral("large.opscope")).toStdString();
  writeSession(file, {timeline().run});
  for (auto _ : state) benchmark::DoNotOptimize(readSession(file));
}
BENCHMARK(openSession)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
