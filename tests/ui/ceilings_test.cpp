// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "panels/banner.h"
#include "panels/compare_panel.h"
#include "panels/log_panel.h"
#include "panels/roofline_panel.h"
#include "panels/verdict_bar.h"
#include "plots/roofline_plot.h"
#include "session/ceiling_file.h"
#include "session/efficiency.h"
#include "state/focus.h"
#include "state/text.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"

// The roofline of the window, and the measurement of ceilings from it.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::waitFor;

namespace {

/// Answers probes: copies reach 2.67 TB/s (33.6 MB in 12.6 us), bf16 products 2670 TFLOP/s; fp8 is not there.
class ProbedEngine : public uitest::FakeEngine {
 public:
  explicit ProbedEngine(ErrorCode ofFp8 = ErrorCode::NotSupported)
      : FakeEngine([this, ofFp8](std::stop_token, const EngineHandler& tell) {
          ++probes;
          if (lastJob.op == "gemm_fp8") {
            tell(JobFailed{{ofFp8, "This device has no fp8", "", {}}, nullptr});
            return;
          }
          auto run = uitest::syntheticRun();
          run->op = lastJob.op;
          run->family = lastJob.op == "gemm" ? "gemm" : "memory";
          run->dims = lastJob.dims;
          if (lastJob.op == "gemm") run->flops = 33.6e9;
          run->dtype = lastJob.dtype;
          run->implementations.resize(1);
          std::erase_if(run->passes, [](const auto& pass) { return pass->implementation != 0; });
          tell(JobStarted{run});
          tell(JobFinished{run});
        }) {}
  ~ProbedEngine() override { wait(); }
  CatalogueInfo catalogue() override {
    CatalogueInfo info = FakeEngine::catalogue();
    for (const char* name : {"copy", "gemm", "gemm_fp8"}) {
      CatalogueInfo::Op op;
      op.name = name;
      op.dtypes = {name == std::string("copy") ? "float32" : name == std::string("gemm") ? "bf16" : "fp8"};
      op.workloads = {{"one", {{"n", 1}}, op.dtypes}};
      op.implementations = {{"plain", "", {"cuda"}}};
      info.ops.push_back(op);
    }
    return info;
  }
  std::atomic<int> probes{0};
};

struct DataFolder {
  DataFolder() { qputenv("OPSCOPE_DATA", folder.path().toUtf8()); }
  ~DataFolder() { qunsetenv("OPSCOPE_DATA"); }
  QTemporaryDir folder;
};

QString logOf(Bench& bench) {
  return bench.window.findChild<LogPanel*>()->toPlainText();
}

}  // namespace

TEST_CASE("the roofline says that ceilings are missing, measures them, and stands complete") {
  const DataFolder data;
  auto engine = std::make_shared<ProbedEngine>();
  Bench bench(engine);
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  bench.window.session().add(run);
  bench.window.selection().select(medianSelection(run, 1));
  bench.settle();
  auto* panel = bench.window.findChild<RooflinePanel*>();
  uitest::raiseDock(bench.window, "roofline");
  CHECK(panel->words().contains(QStringLiteral("No ceilings of Simulated H200 are known")));
  CHECK_FALSE(panel->plot().roofline().memory);
  auto* button = panel->findChild<QPushButton*>();
  REQUIRE(waitFor([&] { return button->isVisible(); }));

  const Selected before = bench.window.selection().now();
  QTest::mouseClick(button, Qt::LeftButton);
  REQUIRE(waitFor([&] { return panel->plot().roofline().memory.has_value(); }));
  CHECK(engine->probes == 3);
  CHECK(bench.window.session().runs().size() == 1);  // probes are no runs of the window
  const Selected& now = bench.window.selection().now();
  CHECK(now.run == bench.window.session().runs()[0]);
  CHECK(now.run != run);
  CHECK(now.pass == before.pass);
  CHECK(now.iteration == before.iteration);
  CHECK(now.item == before.item);
  CHECK(panel->plot().roofline().matrix);
  CHECK_FALSE(button->isVisible());
  CHECK(logOf(bench).contains(QStringLiteral("no fp8")));
  CHECK(logOf(bench).contains(QStringLiteral("ceilings.json")));
  CHECK_FALSE(bench.window.banner().isVisible());
  CHECK(readCeilings(ceilingFile()).size() == 1);
  // 33.6 MB in 12 595 ns is the ceiling, B takes 9 900 ns: 127 %.
  CHECK(bench.window.verdictBar().plainText().contains(QStringLiteral("100.0 % of the memory ceiling")));
  CHECK(panel->words().contains(QStringLiteral("Above the ceiling: eager")));

  auto* compare = bench.window.findChild<ComparePanel*>();
  QStringList titles;
  for (int c = 0; c < compare->model().columnCount(); ++c)
    titles << compare->model().headerData(c, Qt::Horizontal).toString();
  const auto column = static_cast<int>(titles.indexOf(QStringLiteral("Efficiency")));
  REQUIRE(column >= 0);
  const int row = compare->model().viewRow(1);
  CHECK(compare->model().index(row, column).data().toString() ==
        text(efficiencyText(efficiencyOf(*now.run, 1))));
  CHECK(titles.contains(QStringLiteral("Rate")));
}

TEST_CASE("ceilings that were known stay when their measurement is not finished") {
  const DataFolder data;
  auto engine = std::make_shared<ProbedEngine>(ErrorCode::DeviceLost);
  Bench bench(engine);
  for (QAction* action : bench.window.findChildren<QAction*>())
    if (action->text() == QStringLiteral("&Ceilings of the device")) action->trigger();
  REQUIRE(waitFor([&] { return bench.window.banner().isVisible(); }));
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("This device has no fp8")));
  bench.settle();
  CHECK(readCeilings(ceilingFile()).empty());
  CHECK_FALSE(bench.window.bridge().isRunning());
}

TEST_CASE("a catalogue without probes cannot give ceilings, and it is said") {
  Bench bench;
  for (QAction* action : bench.window.findChildren<QAction*>())
    if (action->text() == QStringLiteral("&Ceilings of the device")) action->trigger();
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("no op that could measure")));
}

TEST_CASE("points of the roofline are selected by a click and by keys") {
  SessionModel session;
  Selection selection;
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  session.add(run);
  selection.select(medianSelection(run, 0));
  RooflinePanel panel(session, selection);
  panel.resize(900, 400);
  panel.show();
  QCoreApplication::processEvents();
  RooflinePlot& plot = panel.plot();
  plot.replot(QCustomPlot::rpImmediateRefresh);
  REQUIRE(plot.roofline().points.size() == 2);
  const QPointF second = plot.pixelOf(plot.roofline().points[1]);
  CHECK(plot.axisRect()->rect().contains(second.toPoint()));
  QTest::mouseClick(&plot, Qt::LeftButton, {}, second.toPoint());
  CHECK(selection.now().implementation() == 1);
  QTest::keyClick(&plot, Qt::Key_Left);
  CHECK(selection.now().implementation() == 0);
  QTest::keyClick(&plot, Qt::Key_Left);
  CHECK(selection.now().implementation() == 0);
  QTest::keyClick(&plot, Qt::Key_Right);
  CHECK(selection.now().implementation() == 1);
  // A drag pans and selects nothing.
  const QPoint first = plot.pixelOf(plot.roofline().points[0]).toPoint();
  QTest::mousePress(&plot, Qt::LeftButton, {}, first);
  QTest::mouseRelease(&plot, Qt::LeftButton, {}, first + QPoint(30, 0));
  CHECK(selection.now().implementation() == 1);
}
