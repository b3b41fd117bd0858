// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>

#include "import/import_trace.h"
#include "panels/banner.h"
#include "panels/log_panel.h"
#include "plots/timeline_plot.h"
#include "report/export.h"
#include "session/store.h"
#include "state/focus.h"
#include "state/text.h"
#include "window/main_window.h"

// Sessions in and out. Files are read and written on the worker.

namespace opscope::ui {
namespace {

std::filesystem::path pathOf(const QString& name) {
  return std::filesystem::path(name.toStdString());
}

}  // namespace

void MainWindow::openFiles(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) openFile(file);
}

void MainWindow::openFile(const std::filesystem::path& file) {
  worker_->post([this, file]() -> std::function<void()> {
    if (looksLikeTrace(file)) return [this, file] { importTraceFile(file); };
    try {
      const auto session = std::make_shared<const Session>(readSession(file));
      return [this, file, session] {
        log_->say(tr("Opened %1: %2 runs.").arg(text(file.string())).arg(session->runs.size()));
        if (session->runs.empty()) {
          report(
              {ErrorCode::BadInput, file.string() + " holds no run.", "Measure one and save it there.", {}});
          return;
        }
        session_.addOpened(file, session->readOnly, session->runs);
        selection_.select(openingSelection(session->runs.back()));
        timeline_->setFocus();
      };
    } catch (...) {
      return [this, error = currentErrorInfo()] { report(error); };
    }
  });
}

void MainWindow::saveTo(const std::filesystem::path& file, std::function<void()> then) {
  worker_->post([this, file, runs = session_.runs(), then = std::move(then)]() -> std::function<void()> {
    try {
      writeSession(file, runs);
      return [this, file, runs, then] {
        // Runs that came while the file was written are not in it.
        if (runs == session_.runs()) session_.markSaved(file);
        log_->say(tr("Saved %1 runs to %2.").arg(runs.size()).arg(text(file.string())));
        if (then) then();
      };
    } catch (...) {
      return [this, error = currentErrorInfo()] { report(error); };
    }
  });
}

struct MainWindow::Export {
  std::filesystem::path folder;
  std::shared_ptr<const Run> run;
  std::vector<ExportView> views;
  std::vector<ExportPicture> pictures;
};

void MainWindow::exportTo(const std::filesystem::path& folder) {
  const auto run = selection_.now().run;
  if (!run) return;
  // The records are read on the worker; only the drawing, which widgets do, is left to this thread.
  worker_->post([this, folder, run, runs = session_.runs()]() -> std::function<void()> {
    return [this, folder, run, runs, indexes = indexesFor(run)] {
      drawNext(std::make_shared<Export>(Export{folder, run, viewsOf(run, runs, 2.0, indexes), {}}));
    };
  });
}

// One picture for each turn of the event loop: between two of them the window answers.
void MainWindow::drawNext(const std::shared_ptr<Export>& files) {
  const std::size_t next = files->pictures.size();
  if (next < files->views.size()) {
    const ExportView& view = files->views[next];
    files->pictures.push_back({view.file, view.draw()});
    worker_->post([this, files]() -> std::function<void()> { return [this, files] { drawNext(files); }; });
    return;
  }
  worker_->post([this, files]() -> std::function<void()> {
    try {
      const auto written = writeExport(files->folder, files->pictures, {files->run});
      return [this, folder = files->folder, count = written.size()] {
        log_->say(tr("Exported %1 files to %2.").arg(count).arg(text(folder.string())));
      };
    } catch (...) {
      return [this, error = currentErrorInfo()] { report(error); };
    }
  });
}

void MainWindow::askOpen() {
  const QStringList names =
      QFileDialog::getOpenFileNames(this, tr("Open sessions and traces"), {},
                                    tr("Sessions and traces (*.opscope *.json *.json.gz *.sqlite);;"
                                       "Sessions (*.opscope);;All files (*)"));
  std::vector<std::filesystem::path> files;
  for (const QString& name : names) files.push_back(pathOf(name));
  openFiles(files);
}

void MainWindow::askSave(std::function<void()> then) {
  const QString proposal =
      session_.file().empty() ? QStringLiteral("session.opscope") : text(session_.file().string());
  QString name = QFileDialog::getSaveFileName(this, tr("Save session"), proposal, tr("Sessions (*.opscope)"));
  if (name.isEmpty()) return;
  if (QFileInfo(name).suffix().isEmpty()) name += QStringLiteral(".opscope");
  saveTo(pathOf(name), std::move(then));
}

void MainWindow::askExport() {
  const QString name =
      QFileDialog::getExistingDirectory(this, tr("Export pictures, CSV, Markdown and HTML into a folder"));
  if (!name.isEmpty()) exportTo(pathOf(name));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  std::vector<std::filesystem::path> files;
  QStringList ops;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (!url.isLocalFile()) continue;
    const QFileInfo info(url.toLocalFile());
    static const QStringList ofOps{QStringLiteral("cu"), QStringLiteral("yaml"), QStringLiteral("so")};
    if (info.isDir() || ofOps.contains(info.suffix())) {
      ops << info.absoluteFilePath();
    } else {
      files.push_back(pathOf(info.absoluteFilePath()));
    }
  }
  openFiles(files);
  if (!ops.isEmpty()) addOps(ops);
  event->acceptProposedAction();
}

}  // namespace opscope::ui
