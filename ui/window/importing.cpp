// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>

#include "import/import_trace.h"
#include "import/imported_run.h"
#include "panels/log_panel.h"
#include "panels/progress_bar.h"
#include "plots/timeline_plot.h"
#include "state/focus.h"
#include "state/text.h"
#include "window/main_window.h"

// Traces that other programs recorded. They are read on the worker; Esc stops it.

namespace opscope::ui {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kRedraw = std::chrono::milliseconds(100);

QString wordsFor(const std::filesystem::path& file, std::uint64_t events) {
  return QObject::tr("reading %1, %2 events").arg(text(file.filename().string())).arg(events);
}

}  // namespace

void MainWindow::importTraceFile(const std::filesystem::path& file) {
  ++imports_;
  if (imports_ == 1) stopImports_ = std::stop_source();
  updateActions();
  worker_->post([this, file, stop = stopImports_.get_token()]() -> std::function<void()> {
    try {
      ImportOptions options;
      options.stop = stop;
      options.progress = [this, file, next = Clock::now()](const ImportProgress& done) mutable {
        if (Clock::now() < next) return;
        next = Clock::now() + kRedraw;
        const double share = static_cast<double>(done.bytesRead) / static_cast<double>(done.bytesTotal);
        // By way of the worker, which outlives its task: the window may be closing.
        QMetaObject::invokeMethod(
            worker_,
            [this, words = wordsFor(file, done.events), share] {
              if (!bridge_->isRunning()) progress_->show(words, share);
            },
            Qt::QueuedConnection);
      };
      const ImportedTrace trace = importTrace(file, options);
      const auto runs = importedRuns(trace, file.filename().string());
      return [this, file, runs, events = trace.events] {
        endImport();
        log_->say(tr("Imported %1: %2 events, %3 devices. Nothing of it was measured here.")
                      .arg(text(file.string()))
                      .arg(events)
                      .arg(runs.size()));
        for (const auto& run : runs) session_.add(run);
        selection_.select(openingSelection(runs.front()));
        timeline_->setFocus();
      };
    } catch (...) {
      return [this, error = currentErrorInfo()] {
        endImport();
        if (error.code == ErrorCode::Cancelled) {
          log_->say(text(error.message));
        } else {
          report(error);
        }
      };
    }
  });
}

void MainWindow::endImport() {
  --imports_;
  if (imports_ == 0 && !bridge_->isRunning()) progress_->end();
  updateActions();
}

}  // namespace opscope::ui
