// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDockWidget>
#include <algorithm>
#include <utility>

#include "panels/banner.h"
#include "panels/log_panel.h"
#include "panels/pickers_bar.h"
#include "panels/progress_bar.h"
#include "panels/source_panel.h"
#include "panels/start_page.h"
#include "state/engine_list.h"
#include "state/op_folders.h"
#include "state/text.h"
#include "window/main_window.h"

// Edit, save, F5: what is shown of a source, and what is done when it was written.

namespace opscope::ui {

void MainWindow::raiseDock(const QString& id) {
  for (QDockWidget* dock : docks_) {
    if (dock->objectName() != id) continue;
    dock->show();
    dock->raise();
  }
}

void MainWindow::connectSource() {
  connect(source_, &SourcePanel::saved, this, [this](const QString& file) {
    log_->say(tr("%1 was written.").arg(file));
    // A library stays loaded as long as its process lives.
    if (file.endsWith(QStringLiteral(".so"))) {
      restartEngine();
    } else {
      checkSources();
    }
  });
  connect(source_, &SourcePanel::checkRequested, this, &MainWindow::checkSources);
  connect(source_, &SourcePanel::editorRequested, this, &MainWindow::openInEditor);
  // What was chosen last is shown: an op in the bar, or an implementation of a run.
  connect(pickers_, &PickersBar::changed, this, [this] {
    const std::string op = pickers_->job().op;
    if (source_->shown() && source_->shown()->op == op) return;
    showSource({});
  });
  connect(&selection_, &Selection::changed, this, [this](const Selected& now, const Selected& before) {
    if (!now.run || (now.run == before.run && now.implementation() == before.implementation())) return;
    if (now.implementation() < 0) return;
    showSource({now.run->op, now.run->implementations[static_cast<std::size_t>(now.implementation())].name});
  });
}

// Empty names: what is picked.
void MainWindow::showSource(std::pair<std::string, std::string> what) {
  auto& [op, implementation] = what;
  if (op.empty()) {
    const Job picked = pickers_->job();
    op = picked.op;
    if (!picked.implementations.empty()) implementation = picked.implementations.front();
  }
  const std::string kind = pickers_->device() ? pickers_->device()->kind : std::string();
  source_->show(sourcesOf(pickers_->catalogue(), op, implementation, kind),
                isOnThisMachine(EngineList::from(settings_).current()));
}

void MainWindow::checkSources() {
  checkWanted_ = true;
  checkIfIdle();
}

void MainWindow::checkIfIdle() {
  if (!checkWanted_ || bridge_->isRunning() || series_) return;
  checkWanted_ = false;
  source_->setState(tr("reading the spec..."));
  worker_->post([this, engine = bridge_->engine()]() -> std::function<void()> {
    try {
      return [this, catalogue = std::make_shared<CatalogueInfo>(engine->catalogue())] { adopt(*catalogue); };
    } catch (...) {
      return [this, error = currentErrorInfo()] {
        measureAfterCheck_.reset();
        report(error);
        endCheckOf({}, {});
      };
    }
  });
}

void MainWindow::adopt(const CatalogueInfo& catalogue) {
  std::vector<SourceMessage> said;
  specBroken_ = false;
  for (const ErrorInfo& problem : catalogue.problems) {
    if (!source_->shown() || problem.place.file != source_->shown()->spec.file) continue;
    const auto messages = messagesOf(problem, source_->shown()->spec);
    said.insert(said.end(), messages.begin(), messages.end());
    specBroken_ = std::none_of(catalogue.ops.begin(), catalogue.ops.end(),
                               [&](const CatalogueInfo::Op& op) { return op.name == source_->shown()->op; });
    log_->say(problem);
    if (specBroken_) {
      banner_->show(problem);
      bannerOfCheck_ = true;
    }
  }
  if (specBroken_) {
    // What is picked stays picked: it comes back with the next save.
    measureAfterCheck_.reset();
    endCheckOf(std::move(said), tr("the spec cannot be read"));
    return;
  }
  startPage_->setOps(catalogue);
  pickers_->updateCatalogue(catalogue);
  const std::pair<std::string, std::string> shown =
      source_->shown() ? std::pair(source_->shown()->op, source_->shown()->implementation)
                       : std::pair<std::string, std::string>();
  showSource(shown);
  if (!source_->shown()) showSource({});  // it is no longer in its spec
  source_->setMessages(said);
  if (measureAfterCheck_) {
    start(*std::exchange(measureAfterCheck_, std::nullopt));
    return;
  }
  startCheck(std::move(said));
}

void MainWindow::startCheck(std::vector<SourceMessage> said) {
  const Job picked = pickers_->job();
  if (bridge_->isRunning() || !pickers_->isReady() || !source_->shown() ||
      source_->shown()->op != picked.op) {
    endCheckOf(std::move(said), {});
    return;
  }
  Job job = picked;
  job.checkOnly = true;
  job.controls = {};
  checking_ = true;
  progress_->begin();
  source_->setState(tr("compiling and verifying..."));
  bridge_->start(job);
  updateActions();
}

std::vector<SourceMessage> MainWindow::messagesOfRun(const Run& run) const {
  std::vector<SourceMessage> said;
  const std::string kind = pickers_->device() ? pickers_->device()->kind : std::string();
  for (const ImplementationResult& result : run.implementations) {
    if (!result.failure) continue;
    const auto sources = sourcesOf(pickers_->catalogue(), run.op, result.name, kind);
    for (SourceMessage& message : messagesOf(*result.failure, sources ? sources->spec : Place()))
      // One source serves several implementations, and says the same to each.
      if (std::find(said.begin(), said.end(), message) == said.end()) said.push_back(std::move(message));
  }
  return said;
}

void MainWindow::endCheck(const std::shared_ptr<const Run>& run, const std::optional<ErrorInfo>& error) {
  checking_ = false;
  progress_->end();
  if (measureAfterCheck_) {
    start(*std::exchange(measureAfterCheck_, std::nullopt));
    return;
  }
  std::vector<SourceMessage> said;
  if (run) said = messagesOfRun(*run);
  QString state;
  if (error && error->code != ErrorCode::Cancelled) {
    for (SourceMessage& message : messagesOf(*error, source_->shown() ? source_->shown()->spec : Place()))
      said.push_back(std::move(message));
    report(*error);
    state = tr("cannot be measured");
  } else if (error || (run && run->cancelled)) {
    state = tr("stopped");
  } else if (run) {
    const auto of = [&](auto test) {
      return std::count_if(run->implementations.begin(), run->implementations.end(), test);
    };
    const auto failed = of([](const ImplementationResult& one) { return one.failure.has_value(); });
    const auto unchecked = of([](const ImplementationResult& one) {
      return one.verification.state == VerificationRecord::State::NotChecked;
    });
    state = failed > 0      ? tr("%1 of %2 cannot be measured").arg(failed).arg(run->implementations.size())
            : unchecked > 0 ? tr("compiles; there is no reference to verify it with")
                            : tr("compiles, and is verified: F5 measures it");
    for (const ImplementationResult& result : run->implementations)
      if (result.failure) log_->say(*result.failure);
  }
  endCheckOf(std::move(said), state);
  updateActions();
}

void MainWindow::endCheckOf(std::vector<SourceMessage> said, const QString& state) {
  const bool good =
      std::none_of(said.begin(), said.end(), [](const SourceMessage& one) { return one.isError; });
  source_->setState(state);
  source_->setMessages(std::move(said));
  if (good && !specBroken_ && std::exchange(bannerOfCheck_, false)) banner_->hide();
  Q_EMIT checked(good && !specBroken_);
}

}  // namespace opscope::ui
