// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QLabel>
#include <QMessageBox>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QVBoxLayout>
#include <cmath>

#include "panels/banner.h"
#include "panels/compare_panel.h"
#include "panels/drift_panel.h"
#include "panels/findings_panel.h"
#include "panels/gaps_panel.h"
#include "panels/history_panel.h"
#include "panels/inspector_panel.h"
#include "panels/iterations_panel.h"
#include "panels/kernels_panel.h"
#include "panels/log_panel.h"
#include "panels/methods_panel.h"
#include "panels/pickers_bar.h"
#include "panels/progress_bar.h"
#include "panels/roofline_panel.h"
#include "panels/runs_panel.h"
#include "panels/source_panel.h"
#include "panels/start_page.h"
#include "panels/sweep_panel.h"
#include "panels/timeline_bar.h"
#include "panels/verdict_bar.h"
#include "plots/distribution_plot.h"
#include "plots/minimap.h"
#include "plots/strip_plot.h"
#include "plots/timeline_plot.h"
#include "state/focus.h"
#include "state/status.h"
#include "state/text.h"
#include "window/app_icon.h"
#include "window/series.h"

namespace opscope::ui {

MainWindow::MainWindow(std::shared_ptr<Engine> engine, QSettings& settings, const QStringList& opFolders,
                       QWidget* parent)
    : QMainWindow(parent),
      settings_(settings),
      bridge_(new EngineBridge(std::move(engine), this)),
      worker_(new Worker(this)),
      givenOpFolders_(opFolders) {
  setWindowTitle(tr("Opscope"));
  setWindowIcon(appIcon());
  setAcceptDrops(true);
  createViews();
  createDocks();
  createActions();
  createStatusBar();
  connectEngine();
  connectSource();
  connect(&selection_, &Selection::changed, this, &MainWindow::follow);
  connect(&session_, &SessionModel::changed, this, &MainWindow::updateActions);
  connect(&session_, &SessionModel::baselineChanged, this, &MainWindow::showVerdict);
  connect(pickers_, &PickersBar::changed, this, &MainWindow::updateActions);
  connect(verdicts_, &VerdictBar::chosen, this, [this](int implementation) {
    if (const auto run = selection_.now().run) {
      selection_.select(medianSelection(run, static_cast<std::uint32_t>(implementation)));
    }
  });
  resize(1440, 900);
  defaultLayout_ = inner_->saveState();
  restoreLayout();
  showVerdict();
  showStatus();
  updateActions();
  loadCatalogue();
}

MainWindow::~MainWindow() {
  stopImports_.request_stop();  // the worker waits for what it is at
}

void MainWindow::createViews() {
  pickers_ = new PickersBar;
  verdicts_ = new VerdictBar;
  banner_ = new Banner;
  strip_ = new StripPlot(selection_);
  timeline_ = new TimelinePlot(selection_);
  startPage_ = new StartPage;

  timelineBar_ = new TimelineBar(selection_, *timeline_);
  minimap_ = new Minimap(selection_, *timeline_);

  auto* scroll = new QScrollArea;  // many streams need more height than the window has
  scroll->setWidget(timeline_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(strip_);
  auto* below = new QWidget;
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(timelineBar_);
  column->addWidget(scroll, 1);
  column->addWidget(minimap_);
  split->addWidget(below);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 3);
  split->setChildrenCollapsible(false);
  pages_ = new QStackedWidget;
  pages_->addWidget(startPage_);
  pages_->addWidget(split);

  inner_ = new QMainWindow;
  inner_->setWindowFlags(Qt::Widget);
  inner_->setDockNestingEnabled(true);
  inner_->setCentralWidget(pages_);

  auto* middle = new QWidget;
  auto* layout = new QVBoxLayout(middle);
  layout->setContentsMargins(4, 2, 4, 0);
  layout->setSpacing(4);
  layout->addWidget(banner_);
  layout->addWidget(verdicts_);
  layout->addWidget(inner_, 1);
  setCentralWidget(middle);

  connect(timeline_, &TimelinePlot::hovered, this, [this](double ns) {
    timeLabel_->setText(std::isnan(ns) ? QString()
                                       : QStringLiteral("t = ") + timeText(timeline_->unit(), ns));
  });
  connect(timeline_, &TimelinePlot::sourceRequested, this, [this](const QString& kernel) {
    raiseDock(QStringLiteral("source"));
    if (!source_->goToKernel(kernel))
      log_->say(tr("The source that is shown defines no kernel %1.").arg(kernel));
  });
  connect(startPage_, &StartPage::openRequested, this,
          [this](const std::filesystem::path& file) { openFiles({file}); });
  connect(startPage_, &StartPage::opChosen, pickers_, &PickersBar::pickOp);
  connect(startPage_, &StartPage::measureRequested, this, &MainWindow::measure);
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& id, QWidget* panel,
                                 Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(name);
  dock->setObjectName(id);
  dock->setWidget(panel);
  inner_->addDockWidget(area, dock);
  docks_.push_back(dock);
  // Every bar of tabs was made by the time that a dock of it shows.
  connect(dock, &QDockWidget::visibilityChanged, this, &MainWindow::keepTabNames);
  return dock;
}

void MainWindow::keepTabNames() {
  for (QTabBar* bar : inner_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    bar->setElideMode(Qt::ElideNone);
}

void MainWindow::createDocks() {
  findings_ = new FindingsPanel(selection_);
  log_ = new LogPanel;
  auto* gaps = new GapsPanel(selection_);
  auto* kernels = new KernelsPanel(selection_);
  auto* iterations = new IterationsPanel(selection_);
  inner_->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  inner_->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  inner_->setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);

  auto* runs = addDock(tr("Runs"), QStringLiteral("runs"), new RunsPanel(session_, selection_),
                       Qt::LeftDockWidgetArea);
  auto* inspector = addDock(tr("Inspector"), QStringLiteral("inspector"), new InspectorPanel(selection_),
                            Qt::RightDockWidgetArea);
  auto* first = addDock(tr("Findings"), QStringLiteral("findings"), findings_, Qt::BottomDockWidgetArea);
  const auto addBelow = [&](const QString& name, const QString& id, QWidget* panel) {
    inner_->tabifyDockWidget(first, addDock(name, id, panel, Qt::BottomDockWidgetArea));
  };
  addBelow(tr("Gaps"), QStringLiteral("gaps"), gaps);
  addBelow(tr("Kernels"), QStringLiteral("kernels"), kernels);
  addBelow(tr("Iterations"), QStringLiteral("iterations"), iterations);
  addBelow(tr("Compare"), QStringLiteral("compare"), new ComparePanel(session_, selection_));
  addBelow(tr("Drift"), QStringLiteral("drift"), new DriftPanel(selection_));
  addBelow(tr("Distribution"), QStringLiteral("distribution"), new DistributionPlot(selection_));
  auto* methods = new MethodsPanel(selection_);
  connect(methods, &MethodsPanel::methodsRequested, this, &MainWindow::measureMethods);
  addBelow(tr("Methods"), QStringLiteral("methods"), methods);
  auto* roofline = new RooflinePanel(session_, selection_);
  connect(roofline, &RooflinePanel::ceilingsRequested, this, &MainWindow::measureCeilings);
  addBelow(tr("Roofline"), QStringLiteral("roofline"), roofline);
  auto* sweepPanel = new SweepPanel(session_, selection_);
  connect(sweepPanel, &SweepPanel::sweepRequested, this, &MainWindow::askSweep);
  addBelow(tr("Sweep"), QStringLiteral("sweep"), sweepPanel);
  addBelow(tr("History"), QStringLiteral("history"), new HistoryPanel(session_, selection_));
  source_ = new SourcePanel;
  addBelow(tr("Source"), QStringLiteral("source"), source_);
  addBelow(tr("Log"), QStringLiteral("log"), log_);
  first->raise();
  inner_->resizeDocks({runs, inspector}, {210, 310}, Qt::Horizontal);
  inner_->resizeDocks({first}, {210}, Qt::Vertical);
}

void MainWindow::createStatusBar() {
  timeLabel_ = new QLabel;
  selectionLabel_ = new QLabel;
  deviceLabel_ = new QLabel;
  progress_ = new MeasureProgress;
  timeLabel_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("t = 000000.0 us")));
  statusBar()->addWidget(timeLabel_);
  statusBar()->addWidget(selectionLabel_, 1);
  statusBar()->addPermanentWidget(progress_);
  statusBar()->addPermanentWidget(deviceLabel_);
}

void MainWindow::loadCatalogue() {
  worker_->post([this, engine = bridge_->engine()]() -> std::function<void()> {
    try {
      auto catalogue = std::make_shared<CatalogueInfo>(engine->catalogue());
      auto devices = std::make_shared<std::vector<DeviceInfo>>(engine->devices());
      auto checks = std::make_shared<std::vector<Check>>(engine->diagnose());
      return [this, catalogue, devices, checks] {
        for (const ErrorInfo& problem : catalogue->problems) log_->say(problem);
        for (const Check& check : *checks) {
          if (check.state == Check::State::Ok) continue;
          log_->say(text(check.subject) + QStringLiteral(": ") + text(check.sentence) + QLatin1Char(' ') +
                    text(check.remedy));
        }
        startPage_->setOps(*catalogue);
        pickers_->setCatalogue(*catalogue, *devices);
        pickers_->restoreFrom(settings_);
        pickWantedOp(*catalogue);
        if (!source_->shown()) showSource({});
        showStatus();
        updateActions();
      };
    } catch (...) {
      return [this, error = currentErrorInfo()] { report(error); };
    }
  });
}

void MainWindow::report(const ErrorInfo& error) {
  banner_->show(error);
  log_->say(error);
}

void MainWindow::follow(const Selected& now, const Selected& before) {
  if (now.run != before.run) {
    pages_->setCurrentIndex(now.run ? 1 : 0);
    showVerdict();
    updateActions();
  }
  showStatus();
}

void MainWindow::showVerdict() {
  const auto& run = selection_.now().run;
  if (run) {
    verdicts_->show(verdictOf(run, session_.baseline()));
  } else {
    verdicts_->hide();
    return;
  }
  verdicts_->QWidget::show();
}

void MainWindow::showStatus() {
  const Selected& now = selection_.now();
  selectionLabel_->setText(selectionStatus(now));
  deviceLabel_->setText(deviceStatus(now));
  deviceLabel_->setToolTip(deviceStatusHint(now));
}

void MainWindow::restoreLayout() {
  restoreGeometry(settings_.value(QStringLiteral("window/geometry")).toByteArray());
  inner_->restoreState(settings_.value(QStringLiteral("window/docks")).toByteArray());
}

void MainWindow::restoreDefaultLayout() {
  inner_->restoreState(defaultLayout_);
  for (QDockWidget* dock : docks_) dock->show();
  docks_[2]->raise();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (session_.hasUnsaved()) {
    const auto answer =
        QMessageBox::question(this, tr("Unsaved runs"), tr("There are runs that no file holds. Save them?"),
                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    if (answer == QMessageBox::Cancel) {
      event->ignore();
      return;
    }
    if (answer == QMessageBox::Save) {
      // Closes only once the file is written; a file that cannot be written keeps the window.
      const auto closeAfter = [this] { close(); };
      if (session_.file().empty()) {
        askSave(closeAfter);
      } else {
        saveTo(session_.file(), closeAfter);
      }
      event->ignore();
      return;
    }
  }
  settings_.setValue(QStringLiteral("window/geometry"), saveGeometry());
  settings_.setValue(QStringLiteral("window/docks"), inner_->saveState());
  pickers_->saveTo(settings_);
  QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !stopAction_) return;
  showVerdict();
  drawIcons();
}

}  // namespace opscope::ui
