// SPDX-License-Identifier: GPL-3.0-or-later
#include <QInputDialog>
#include <QSettings>

#include "panels/banner.h"
#include "panels/log_panel.h"
#include "panels/pickers_bar.h"
#include "panels/progress_bar.h"
#include "panels/source_panel.h"
#include "plots/strip_plot.h"
#include "plots/timeline_plot.h"
#include "state/focus.h"
#include "state/same_call.h"
#include "state/text.h"
#include "stats/block_comparison.h"
#include "window/main_window.h"
#include "window/series.h"

// A measurement, from F5 to the run that opens.

namespace opscope::ui {
namespace {

// 0 or absent: as many as the method wants for the implementations at hand.
QString blocksSetting() {
  return QStringLiteral("measure/blocks");
}

}  // namespace

void MainWindow::connectEngine() {
  connect(bridge_, &EngineBridge::started, this, [this](const std::shared_ptr<const Run>& run) {
    if (checking_) return;
    log_->say(tr("Measuring %1 %2 %3 on %4.")
                  .arg(text(run->op), text(run->workload), text(run->dtype), text(run->deviceName)));
    if (!series_ || series_->keep) beginLive(run);
  });
  connect(bridge_, &EngineBridge::passFinished, this, &MainWindow::addLive);
  connect(bridge_, &EngineBridge::blockRestarted, this, &MainWindow::restartLive);
  connect(bridge_, &EngineBridge::progressed, this,
          [this](const Progress& progress) { progress_->show(progress); });
  connect(bridge_, &EngineBridge::finished, this, &MainWindow::finish);
  connect(bridge_, &EngineBridge::failed, this,
          [this](const ErrorInfo& error, const std::shared_ptr<const Run>& run) {
            if (checking_) {
              endCheck(run, error);
              return;
            }
            if (series_) {
              if (series_->keep && run && !run->passes.empty()) openRun(run);
              series_->jobs.failed(error, run);
              goOn();
              return;
            }
            if (run && !run->passes.empty()) {
              finish(run);
            } else {
              progress_->end();
              endLive();
            }
            if (error.code == ErrorCode::Cancelled) {
              log_->say(tr("Stopped."));
            } else {
              report(error);
            }
            updateActions();
          });
}

void MainWindow::measure() {
  const auto k = static_cast<std::uint32_t>(pickers_->job().implementations.size());
  const std::uint32_t stated = settings_.value(blocksSetting(), 0).toUInt();
  start(stated > 0 ? stated : suggestedBlocks(k));
}

void MainWindow::askBlocks() {
  bool accepted = false;
  const int blocks =
      QInputDialog::getInt(this, tr("Blocks"),
                           tr("Mirrored blocks of a measurement. A verdict needs at least 4.\n0: the "
                              "smallest multiple of the number of "
                              "implementations that is at least 6."),
                           settings_.value(blocksSetting(), 0).toInt(), 0, 10'000, 1, &accepted);
  if (accepted) settings_.setValue(blocksSetting(), blocks);
}

void MainWindow::measureOnce() {
  start(1);
}

void MainWindow::start(std::uint32_t blocks) {
  if (!pickers_->isReady()) return;
  if (checking_) {
    measureAfterCheck_ = blocks;
    bridge_->stop();
    return;
  }
  if (bridge_->isRunning()) return;
  if (specBroken_) {
    measureAfterCheck_ = blocks;  // if it was mended meanwhile
    checkSources();
    return;
  }
  Job job = pickers_->job();
  job.protocol.blocks = blocks;
  startJob(job);
}

void MainWindow::startJob(const Job& job) {
  banner_->hide();
  progress_->begin();
  bridge_->start(job);
  updateActions();
}

void MainWindow::measureMethods() {
  const auto run = selection_.now().run;
  if (!run || bridge_->isRunning()) return;
  Job job = sameCall(*run);
  job.methods = true;
  job.controls.tracing = true;
  startJob(job);
}

void MainWindow::stop() {
  stopImports_.request_stop();
  if (series_) series_->jobs.stop();
  if (bridge_->isRunning()) log_->say(tr("Stopping: the device drains, finished passes stay."));
  bridge_->stop();
}

void MainWindow::finish(const std::shared_ptr<const Run>& run) {
  if (checking_) {
    endCheck(run, std::nullopt);
    return;
  }
  if (series_) {
    if (series_->keep && !run->passes.empty()) openRun(run);
    series_->jobs.finished(run);
    goOn();
    return;
  }
  progress_->end();
  // In this order the strip goes from the passes as they came to the run in one step, and the first page
  // stays hidden.
  openRun(run);
  endLive();
  timeline_->setFocus();
  log_->say(run->cancelled ? tr("Stopped after %1 passes.").arg(run->passes.size())
                           : tr("Measured %1 passes.").arg(run->passes.size()));
  for (const auto& implementation : run->implementations) {
    if (implementation.failure) log_->say(*implementation.failure);
  }
  if (source_->shown() && source_->shown()->op == run->op) source_->setMessages(messagesOfRun(*run));
  updateActions();
}

void MainWindow::openRun(const std::shared_ptr<const Run>& run) {
  session_.add(run);
  selection_.select(openingSelection(run));
  // An engine far away does not know what is known here.
  if (!run->ceilings) completeCeilings({run});
}

void MainWindow::beginLive(const std::shared_ptr<const Run>& run) {
  live_ = std::make_shared<Run>(*run);
  live_->passes.clear();
}

void MainWindow::addLive(const std::shared_ptr<const Pass>& pass) {
  if (!live_) return;
  // Passes are shared, so that a copy costs a few pointers; what a view has seen never changes under it.
  auto next = std::make_shared<Run>(*live_);
  next->passes.push_back(pass);
  showLive(std::move(next));
}

void MainWindow::restartLive(std::uint32_t block) {
  if (!live_) return;
  log_->say(tr("Records were lost in block %1: it is measured again.").arg(block + 1));
  auto next = std::make_shared<Run>(*live_);
  std::erase_if(next->passes, [block](const auto& pass) { return pass->block == block; });
  showLive(std::move(next));
}

void MainWindow::showLive(std::shared_ptr<Run> run) {
  live_ = std::move(run);
  pages_->setCurrentIndex(1);
  strip_->showLive(live_);
}

void MainWindow::endLive() {
  live_.reset();
  strip_->showLive(nullptr);
  pages_->setCurrentIndex(selection_.now().run ? 1 : 0);
}

}  // namespace opscope::ui
