// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/when_seen.h"

#include <QMainWindow>
#include <catch2/catch_test_macros.hpp>

#include "panels/gaps_panel.h"
#include "plots/drift_plot.h"
#include "state/focus.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;

namespace {

/// Two views in docks, one behind the other.
struct TwoDocks {
  TwoDocks() {
    for (int i = 0; i < 2; ++i) {
      docks[i] = new QDockWidget;
      docks[i]->setObjectName(QString::number(i));
      docks[i]->setWidget(views[i]);
      window.addDockWidget(Qt::BottomDockWidgetArea, docks[i]);
    }
    window.setCentralWidget(new QWidget);
    window.tabifyDockWidget(docks[0], docks[1]);
    docks[0]->raise();
    window.resize(600, 400);
    window.show();
    QCoreApplication::processEvents();
  }
  QMainWindow window;
  QDockWidget* docks[2];
  QWidget* views[2] = {new QWidget, new QWidget};
};

}  // namespace

TEST_CASE("a view that lies in no dock works at once, shown or not") {
  QWidget view;
  int done = 0;
  WhenSeen seen(view, [&] { ++done; });
  seen.catchUp();
  CHECK(done == 0);
  seen.ask();
  CHECK(done == 1);
  view.show();
  seen.ask();
  CHECK(done == 2);
  seen.catchUp();
  CHECK(done == 2);
}

TEST_CASE("a view behind another works once when it comes up, however often it was asked") {
  TwoDocks two;
  int done[2] = {0, 0};
  WhenSeen front(*two.views[0], [&] { ++done[0]; });
  WhenSeen behind(*two.views[1], [&] { ++done[1]; });
  for (int i = 0; i < 3; ++i) {
    front.ask();
    behind.ask();
  }
  CHECK(done[0] == 3);
  CHECK(done[1] == 0);
  two.docks[1]->raise();
  QCoreApplication::processEvents();
  CHECK(done[1] == 1);
  // Now the other one is behind.
  front.ask();
  behind.ask();
  CHECK(done[0] == 3);
  CHECK(done[1] == 2);
  two.docks[0]->raise();
  QCoreApplication::processEvents();
  CHECK(done[0] == 4);
  // Nothing was put off: coming up again is no work.
  two.docks[1]->raise();
  QCoreApplication::processEvents();
  CHECK(done[1] == 2);
}

TEST_CASE("a view of a closed dock works when the dock is opened, or when somebody asks for what it shows") {
  TwoDocks two;
  int done = 0;
  WhenSeen seen(*two.views[0], [&] { ++done; });
  two.docks[0]->close();
  QCoreApplication::processEvents();
  seen.ask();
  CHECK(done == 0);
  seen.catchUp();
  CHECK(done == 1);
  seen.ask();
  CHECK(done == 1);
  two.docks[0]->show();
  two.docks[0]->raise();
  QCoreApplication::processEvents();
  CHECK(done == 2);
}

TEST_CASE("a floating dock is seen") {
  TwoDocks two;
  int done = 0;
  WhenSeen seen(*two.views[1], [&] { ++done; });
  seen.ask();
  CHECK(done == 0);
  two.docks[1]->setFloating(true);
  QCoreApplication::processEvents();
  CHECK(done == 1);
  seen.ask();
  CHECK(done == 2);
}

TEST_CASE("the window's hidden views follow the selection when they come up") {
  Bench bench;
  auto* dock = bench.window.findChild<QDockWidget*>(QStringLiteral("drift"));
  auto* drift = bench.window.findChild<DriftPlot*>();
  auto* findings = bench.window.findChild<QDockWidget*>(QStringLiteral("findings"));
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  bench.window.selection().select(openingSelection(run));
  CHECK(drift->drift().points.empty());
  dock->raise();
  QCoreApplication::processEvents();
  CHECK(drift->drift().points.size() == run->implementations.size());
  findings->raise();
  QCoreApplication::processEvents();
  bench.window.selection().selectRun(nullptr);
  CHECK_FALSE(drift->drift().points.empty());
  dock->raise();
  QCoreApplication::processEvents();
  CHECK(drift->drift().points.empty());
  // A table can be asked for its rows without being raised.
  bench.window.selection().select(openingSelection(run));
  CHECK(bench.window.findChild<GapsPanel*>()->model().rowCount() == 2);
}
