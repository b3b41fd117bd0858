// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSettings>

#include "panels/log_panel.h"
#include "panels/pickers_bar.h"
#include "remote/make_engine.h"
#include "state/op_folders.h"
#include "window/engines_dialog.h"
#include "window/main_window.h"

// Where the window measures: the dialog, and the switch to another engine.

namespace opscope::ui {
namespace {

EngineTrial tryWithin10s(const std::string& where) {
  EngineLimits limits;
  limits.hello = std::chrono::seconds(10);
  limits.still = std::chrono::seconds(30);
  return tryEngine(where, {}, limits);
}

}  // namespace

void MainWindow::showEngines() {
  if (engines_ == nullptr) {
    engines_ = new EnginesDialog(EngineList::from(settings_), tryWithin10s, this);
    connect(engines_, &EnginesDialog::changed, this, &MainWindow::keepEngines);
  }
  engines_->show();
  engines_->raise();
}

void MainWindow::keepEngines(const EngineList& engines) {
  const QString before = EngineList::from(settings_).current();
  engines.saveTo(settings_);
  if (engines.current() == before) return;
  engineWanted_ = engines.current();
  if (bridge_->isRunning()) log_->say(tr("The engine is changed when the measurement is over."));
  updateActions();
}

void MainWindow::switchEngine() {
  if (engineWanted_.isEmpty()) return;
  const QString where = std::exchange(engineWanted_, {});
  worker_->post(
      [this, where,
       folders = isOnThisMachine(where) ? allOpFolders() : QStringList()]() -> std::function<void()> {
        try {
          std::shared_ptr<Engine> engine = openEngine(where, folders);
          return [this, where, engine] {
            if (bridge_->isRunning()) {
              engineWanted_ = where;
              return;
            }
            // The end of the one before may take a moment: a device is closed, a process waited for.
            worker_->post([before = bridge_->use(engine)]() mutable -> std::function<void()> {
              before.reset();
              return {};
            });
            log_->say(tr("Measures with: %1").arg(where));
            pickers_->saveTo(settings_);  // what is picked there comes back with the other engine's ops
            loadCatalogue();
          };
        } catch (...) {
          return [this, error = currentErrorInfo()] { report(error); };
        }
      });
}

}  // namespace opscope::ui
