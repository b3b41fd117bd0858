// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDesktopServices>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QSettings>
#include <QUrl>

#include "engine/new_op.h"
#include "panels/log_panel.h"
#include "panels/pickers_bar.h"
#include "panels/source_panel.h"
#include "state/engine_list.h"
#include "state/op_folders.h"
#include "state/text.h"
#include "window/main_window.h"

// Ops of the user's own: the folders they are in, and a new one from the template.

namespace opscope::ui {
namespace {

QString editorSetting() {
  return QStringLiteral("editor/command");
}

bool holdsOps(const QString& folder) {
  return !QDir(folder).entryList({QStringLiteral("*.yaml"), QStringLiteral("*.so")}, QDir::Files).isEmpty();
}

}  // namespace

void MainWindow::addOpActions() {
  QMenu* ops = menuBar()->addMenu(tr("O&ps"));
  ops->addAction(tr("&New op from template..."), this, &MainWindow::askNewOp)
      ->setToolTip(tr("Writes NAME.yaml and NAME.cu to begin with"));
  ops->addAction(tr("&Add a folder of ops..."), this, [this] {
    const QString name = QFileDialog::getExistingDirectory(this, tr("A folder with *.yaml of your own ops"));
    if (!name.isEmpty()) addOps({name});
  });
  ops->addAction(tr("&Forget a folder of ops..."), this, &MainWindow::askForgetOps);
  ops->addSeparator();
  checkAction_ =
      ops->addAction(tr("&Check what is picked"), QKeySequence(Qt::Key_F7), this, &MainWindow::checkSources);
  checkAction_->setToolTip(tr("Reads its spec again, compiles and verifies it, and measures nothing (F7)"));
  ops->addAction(tr("&Open the source in my editor"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), source_,
                 &SourcePanel::openInEditor);
  ops->addAction(tr("&Editor..."), this, &MainWindow::askEditor);
}

QStringList MainWindow::allOpFolders() const {
  QStringList all = givenOpFolders_;
  for (const QString& folder : opFolders(settings_))
    if (!all.contains(folder)) all << folder;
  return all;
}

void MainWindow::addOps(const QStringList& paths) {
  const QString where = EngineList::from(settings_).current();
  if (!isOnThisMachine(where)) {
    report({ErrorCode::BadInput,
            "The engine `" + where.toStdString() + "` does not see the files of this machine.",
            "Add --ops DIR to its command, or choose an engine of this machine (Measure, Engines).",
            {}});
    return;
  }
  QStringList folders = opFolders(settings_);
  bool more = false;
  for (const QString& path : paths) {
    const QFileInfo info(path);
    const QString folder = QDir(info.isDir() ? path : info.absolutePath()).canonicalPath();
    if (folder.isEmpty() || !holdsOps(folder)) {
      report({ErrorCode::BadInput,
              (folder.isEmpty() ? path : folder).toStdString() + " holds no op: there is no *.yaml in it.",
              "\"New op from template\" in the menu Ops writes one that names your kernels.",
              {path.toStdString(), 0, 0}});
      continue;
    }
    wantedOpFile_ = info.isDir() ? folder : folder + QLatin1Char('/') + info.fileName();
    if (allOpFolders().contains(folder) || folders.contains(folder)) continue;
    folders << folder;
    more = true;
    log_->say(tr("Ops are read from %1, now and when Opscope is started again.").arg(folder));
  }
  if (!more) {
    // The folder is known: the engine looks at it again by itself.
    if (!wantedOpFile_.isEmpty()) loadCatalogue();
    return;
  }
  keepOpFolders(settings_, folders);
  restartEngine();
}

void MainWindow::newOp(const QString& folder, const QString& name) {
  try {
    const auto files = writeNewOp(folder.toStdString(), name.toStdString());
    for (const auto& file : files) log_->say(tr("Wrote %1.").arg(text(file.string())));
    addOps({text(files.front().string())});
  } catch (...) {
    report(currentErrorInfo());
  }
}

void MainWindow::askNewOp() {
  bool accepted = false;
  const QString name = QInputDialog::getText(this, tr("New op"), tr("What it is called:"), QLineEdit::Normal,
                                             QStringLiteral("my-op"), &accepted);
  if (!accepted) return;
  const QStringList known = opFolders(settings_);
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Where its files go"),
                                                           known.isEmpty() ? QDir::homePath() : known.last());
  if (!folder.isEmpty()) newOp(folder, name);
}

void MainWindow::forgetOps(const QString& folder) {
  QStringList folders = opFolders(settings_);
  if (folders.removeAll(folder) == 0) return;
  keepOpFolders(settings_, folders);
  log_->say(tr("Ops are no longer read from %1. Its files stay.").arg(folder));
  restartEngine();
}

void MainWindow::askForgetOps() {
  const QStringList folders = opFolders(settings_);
  if (folders.isEmpty()) {
    log_->say(tr("No folder of ops is kept."));
    return;
  }
  bool accepted = false;
  const QString folder = QInputDialog::getItem(this, tr("Forget a folder of ops"),
                                               tr("Its files stay; its ops are no longer offered:"), folders,
                                               0, false, &accepted);
  if (accepted) forgetOps(folder);
}

// What an engine was started with it keeps: other folders need another one.
void MainWindow::restartEngine() {
  engineWanted_ = EngineList::from(settings_).current();
  updateActions();
}

void MainWindow::pickWantedOp(const CatalogueInfo& catalogue) {
  if (wantedOpFile_.isEmpty()) return;
  const QString wanted = std::exchange(wantedOpFile_, {});
  const QFileInfo asked(wanted);
  const QString folder = asked.isDir() ? wanted : asked.absolutePath();
  const CatalogueInfo::Op* found = nullptr;
  for (const CatalogueInfo::Op& op : catalogue.ops) {
    const QFileInfo spec(text(op.place.file));
    if (spec.absolutePath() != folder) continue;
    if (!found) found = &op;
    // A kernel file stands for the spec beside it of the same name.
    if (asked.isDir() || spec.completeBaseName() != asked.completeBaseName()) continue;
    found = &op;
    break;
  }
  if (found) {
    pickers_->pickOp(text(found->name));
    raiseDock(QStringLiteral("source"));
    return;
  }
  for (const ErrorInfo& problem : catalogue.problems)
    if (text(problem.place.file)
            .startsWith(QFileInfo(wanted).isDir() ? wanted : QFileInfo(wanted).absolutePath()))
      report(problem);
}

void MainWindow::openInEditor(const QString& file, int line) {
  const QStringList words = editorWords(settings_.value(editorSetting()).toString(), file, line);
  const bool opened = words.isEmpty() ? QDesktopServices::openUrl(QUrl::fromLocalFile(file))
                                      : QProcess::startDetached(words.first(), words.mid(1));
  if (opened) return;
  report({ErrorCode::CannotRead,
          words.isEmpty() ? "The desktop has no program that opens " + file.toStdString() + "."
                          : "The editor `" + words.first().toStdString() + "` cannot be started.",
          "Name one under Ops, Editor.",
          {}});
}

void MainWindow::askEditor() {
  bool accepted = false;
  const QString before = settings_.value(editorSetting()).toString();
  const QString command = QInputDialog::getText(
      this, tr("Editor"),
      tr("The command that opens a source; %f is the file, %l the line, as in: code -g %f:%l\nEmpty: what "
         "the desktop opens such files with."),
      QLineEdit::Normal, before.isEmpty() ? qEnvironmentVariable("VISUAL") : before, &accepted);
  if (accepted) settings_.setValue(editorSetting(), command);
}

}  // namespace opscope::ui
