// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QMenuBar>
#include <QMessageBox>
#include <QPainter>
#include <QToolBar>
#include <algorithm>

#include "panels/pickers_bar.h"
#include "panels/timeline_bar.h"
#include "plots/timeline_plot.h"
#include "window/cheat_sheet.h"
#include "window/main_window.h"
#include "window/palette.h"

// Every action, with its key, in a menu.

namespace opscope::ui {
namespace {

/// A held key repeats: each repetition goes a little further than the last.
class HeldKey {
 public:
  double next() {
    const bool held = clock_.isValid() && clock_.elapsed() < 150;
    speed_ = held ? std::min(3.0, speed_ * 1.12) : 1.0;
    clock_.start();
    return speed_;
  }

 private:
  QElapsedTimer clock_;
  double speed_ = 1.0;
};

/// The style's own icons are black, which a dark palette swallows.
QIcon drawnIcon(const QPalette& palette, bool play) {
  QIcon icon;
  for (const auto& [mode, group] :
       {std::pair(QIcon::Normal, QPalette::Active), std::pair(QIcon::Disabled, QPalette::Disabled)}) {
    QPixmap pixmap(64, 64);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.color(group, QPalette::ButtonText));
    if (play) {
      painter.drawPolygon(QPolygonF{{14, 8}, {14, 56}, {54, 32}});
    } else {
      painter.drawRect(12, 12, 40, 40);
    }
    icon.addPixmap(pixmap, mode);
  }
  return icon;
}

}  // namespace

void MainWindow::drawIcons() {
  measureAction_->setIcon(drawnIcon(palette(), true));
  stopAction_->setIcon(drawnIcon(palette(), false));
}

QAction* MainWindow::addTimelineAction(QMenu* menu, const QString& words, const QList<QKeySequence>& keys,
                                       std::function<void()> act) {
  // Single letters belong to the timeline when it has the focus: text fields keep theirs.
  auto* action = new QAction(words, this);
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WidgetShortcut);
  connect(action, &QAction::triggered, this, std::move(act));
  timeline_->addAction(action);
  menu->addAction(action);
  timelineActions_.push_back(action);
  return action;
}

void MainWindow::createActions() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open session..."), QKeySequence::Open, this, &MainWindow::askOpen);
  saveAction_ = file->addAction(tr("&Save session..."), QKeySequence::Save, this, [this] { askSave(); });
  exportAction_ = file->addAction(tr("&Export PNG, CSV, Markdown and HTML..."),
                                  QKeySequence(Qt::CTRL | Qt::Key_E), this, &MainWindow::askExport);
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), this, &QWidget::close);

  QMenu* measureMenu = menuBar()->addMenu(tr("&Measure"));
  measureAction_ =
      measureMenu->addAction(tr("&Measure"), QKeySequence(Qt::Key_F5), this, &MainWindow::measure);
  measureAction_->setToolTip(tr("Measure in mirrored blocks A B C C B A, at least six (F5)"));
  measureOnceAction_ = measureMenu->addAction(tr("Measure &once"), QKeySequence(Qt::SHIFT | Qt::Key_F5), this,
                                              &MainWindow::measureOnce);
  measureOnceAction_->setToolTip(tr("One mirrored block: quicker, without an interval (Shift+F5)"));
  stopAction_ = measureMenu->addAction(tr("&Stop"), QKeySequence(Qt::Key_Escape), this, &MainWindow::stop);
  stopAction_->setToolTip(tr("The device drains, the finished passes stay (Esc)"));

  measureMenu->addAction(tr("&Blocks..."), this, &MainWindow::askBlocks);
  methodsAction_ =
      measureMenu->addAction(tr("&Methods of the selected run's calls"), this, &MainWindow::measureMethods);
  methodsAction_->setToolTip(tr("Its calls by records, event pair, loop, graph and the host's clock"));
  sweepAction_ = measureMenu->addAction(tr("S&weep over one dimension..."), this, &MainWindow::askSweep);
  sweepAction_->setToolTip(tr("What is picked, over the sizes of one dimension of its shape"));
  ceilingsAction_ = measureMenu->addAction(tr("&Ceilings of the device"), this, &MainWindow::measureCeilings);
  ceilingsAction_->setToolTip(tr("How fast it copies and multiplies: what efficiency is a share of"));

  measureMenu->addSeparator();
  addTimelineAction(measureMenu, tr("Pin as the &baseline, or let go"), {Qt::Key_B},
                    [this] { pinBaseline(); });
  measureMenu->addAction(tr("&Engines..."), this, &MainWindow::showEngines)
      ->setToolTip(tr("Where it is measured: here, in a process of its own, on another machine"));

  drawIcons();
  addOpActions();
  addViewActions();
  addGoActions();

  QMenu* help = menuBar()->addMenu(tr("&Help"));
  addTimelineAction(help, tr("&Keys"), {QKeySequence(Qt::Key_Question)}, [this] {
    showKeys();
  })->setEnabled(true);
  paletteAction_ = help->addAction(tr("&Commands by name..."), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
                                   this, &MainWindow::showPalette);
  help->addAction(tr("&About Opscope"), this, &MainWindow::showAbout);

  auto* bar = addToolBar(tr("Measure"));
  bar->setObjectName(QStringLiteral("measure"));
  bar->setMovable(false);
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  bar->addWidget(pickers_);
  bar->addSeparator();
  bar->addAction(measureAction_);
  bar->addAction(measureOnceAction_);
  bar->addAction(stopAction_);
}

void MainWindow::addViewActions() {
  QMenu* view = menuBar()->addMenu(tr("&View"));
  const auto zoomIn = std::make_shared<HeldKey>();
  const auto zoomOut = std::make_shared<HeldKey>();
  const auto panLeft = std::make_shared<HeldKey>();
  const auto panRight = std::make_shared<HeldKey>();
  addTimelineAction(view, tr("Zoom &in"), {Qt::Key_W, Qt::Key_Up},
                    [=, this] { timeline_->zoomBy(1 - 0.2 * std::min(3.0, zoomIn->next())); });
  addTimelineAction(view, tr("Zoom &out"), {Qt::Key_S, Qt::Key_Down},
                    [=, this] { timeline_->zoomBy(1 + 0.25 * zoomOut->next()); });
  addTimelineAction(view, tr("Pan &left"), {Qt::Key_A, Qt::Key_Left},
                    [=, this] { timeline_->panBy(-0.08 * panLeft->next()); });
  addTimelineAction(view, tr("Pan &right"), {Qt::Key_D, Qt::Key_Right},
                    [=, this] { timeline_->panBy(0.08 * panRight->next()); });
  addTimelineAction(view, tr("&Frame the selection"), {Qt::Key_F}, [this] { timeline_->frameSelection(); });
  addTimelineAction(view, tr("Fit &all"), {Qt::Key_Home}, [this] { timeline_->fitAll(); });
  view->addSeparator();
  const auto mode = [&](const QString& words, int key, TimelineMode shown) {
    addTimelineAction(view, words, {QKeySequence(key)}, [this, shown] { timeline_->setMode(shown); });
  };
  mode(tr("&One iteration"), Qt::Key_1, TimelineMode::Iteration);
  mode(tr("All iterations o&verlaid"), Qt::Key_2, TimelineMode::Overlay);
  mode(tr("Whole &pass"), Qt::Key_3, TimelineMode::Pass);
  addTimelineAction(view, tr("&Clear the rulers"), {Qt::Key_X}, [this] { timeline_->clearRulers(); });
  view->addSeparator();
  auto* back = view->addAction(tr("View &before"), QKeySequence(Qt::ALT | Qt::Key_Left), timeline_,
                               &TimelinePlot::goBack);
  auto* forward = view->addAction(tr("View a&fter"), QKeySequence(Qt::ALT | Qt::Key_Right), timeline_,
                                  &TimelinePlot::goForward);
  timelineActions_.push_back(back);
  timelineActions_.push_back(forward);
  view->addSeparator();
  for (QDockWidget* dock : docks_) view->addAction(dock->toggleViewAction());
  view->addAction(tr("Restore the &default layout"), this, &MainWindow::restoreDefaultLayout);
  view->addSeparator();
  view->addAction(tr("Focus the &timeline"), QKeySequence(Qt::CTRL | Qt::Key_T), timeline_,
                  [this] { timeline_->setFocus(); });
  timelineActions_.push_back(view->addAction(tr("Find &kernels"), QKeySequence::Find, this,
                                             [this] { timelineBar_->focusSearch(); }));
  addTimelineAction(view, tr("Find kernels from the timeline"), {Qt::Key_Slash},
                    [this] { timelineBar_->focusSearch(); });
}

void MainWindow::addGoActions() {
  QMenu* go = menuBar()->addMenu(tr("&Go"));
  addTimelineAction(go, tr("&Largest gap"), {Qt::Key_G}, [this] { timeline_->selectLargestGap(); });
  addTimelineAction(go, tr("&Next gap"), {Qt::Key_N}, [this] { timeline_->stepGap(1); });
  addTimelineAction(go, tr("&Previous gap"), {Qt::Key_P}, [this] { timeline_->stepGap(-1); });
  go->addSeparator();
  addTimelineAction(go, tr("Launch of the &kernel"), {Qt::Key_BracketLeft},
                    [this] { timeline_->selectLaunch(); });
  addTimelineAction(go, tr("Kernel of the la&unch"), {Qt::Key_BracketRight},
                    [this] { timeline_->selectKernel(); });
  addTimelineAction(go, tr("Pre&vious kernel in the row"), {Qt::Key_Comma},
                    [this] { timeline_->stepKernel(-1); });
  addTimelineAction(go, tr("Ne&xt kernel in the row"), {Qt::Key_Period},
                    [this] { timeline_->stepKernel(1); });
  go->addSeparator();
  auto* previous = go->addAction(tr("Previous &iteration"), QKeySequence(Qt::CTRL | Qt::Key_Left), timeline_,
                                 [this] { timeline_->stepIteration(-1); });
  auto* next = go->addAction(tr("Next i&teration"), QKeySequence(Qt::CTRL | Qt::Key_Right), timeline_,
                             [this] { timeline_->stepIteration(1); });
  timelineActions_.push_back(previous);
  timelineActions_.push_back(next);
}

void MainWindow::updateActions() {
  const bool running = bridge_->isRunning();
  if (!running) switchEngine();
  checkIfIdle();
  // A check that runs is no reason to wait: the measurement compiles and verifies too.
  measureAction_->setEnabled((!running || checking_) && pickers_->isReady());
  measureOnceAction_->setEnabled((!running || checking_) && pickers_->isReady());
  checkAction_->setEnabled(!running && pickers_->isReady());
  methodsAction_->setEnabled(!running && selection_.now().run);
  sweepAction_->setEnabled(!running && pickers_->isReady());
  ceilingsAction_->setEnabled(!running && pickers_->device());
  stopAction_->setEnabled(running || isImporting());
  saveAction_->setEnabled(!session_.runs().empty());
  exportAction_->setEnabled(selection_.now().run != nullptr);
  for (QAction* action : timelineActions_) action->setEnabled(selection_.now().run != nullptr);
  setWindowModified(session_.hasUnsaved());
  const QString name =
      session_.file().empty() ? tr("no file") : QString::fromStdString(session_.file().filename().string());
  setWindowTitle(session_.runs().empty() ? tr("Opscope[*]") : tr("%1[*] - Opscope").arg(name));
}

void MainWindow::showKeys() {
  auto* sheet = new CheatSheet(*menuBar(), this);
  sheet->setAttribute(Qt::WA_DeleteOnClose);
  sheet->show();
}

void MainWindow::showPalette() {
  QList<QAction*> actions;
  for (const QAction* entry : menuBar()->actions()) {
    if (!entry->menu()) continue;
    for (QAction* action : entry->menu()->actions()) {
      if (!action->isSeparator() && action != paletteAction_) actions << action;
    }
  }
  auto* commands = new CommandPalette(actions, this);
  commands->setAttribute(Qt::WA_DeleteOnClose);
  commands->show();
}

void MainWindow::pinBaseline() {
  const Selected& now = selection_.now();
  if (!now.run || now.implementation() < 0) return;
  session_.pin({now.run, static_cast<std::uint32_t>(now.implementation())});
  raiseDock(QStringLiteral("compare"));
}

void MainWindow::showAbout() {
  QMessageBox::about(
      this, tr("About Opscope"),
      tr("<p><b>Opscope %1</b></p><p>Measures one GPU op and shows why it is slow.</p>"
         "<p>The window is free software under the GNU General Public License, version 3 or later; "
         "the measuring core is under the Apache License 2.0.</p>")
          .arg(QApplication::applicationVersion()));
}

}  // namespace opscope::ui
