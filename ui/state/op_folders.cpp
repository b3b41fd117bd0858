// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/op_folders.h"

#include <QProcess>
#include <QSettings>

#include "remote/make_engine.h"

namespace opscope::ui {
namespace {

QString setting() {
  return QStringLiteral("ops/folders");
}

}  // namespace

QStringList opFolders(const QSettings& settings) {
  return settings.value(setting()).toStringList();
}

void keepOpFolders(QSettings& settings, const QStringList& folders) {
  settings.setValue(setting(), folders);
}

bool isOnThisMachine(const QString& where) {
  return where == QLatin1String(kLocalEngine) || where == QLatin1String(kProcessEngine);
}

std::unique_ptr<Engine> openEngine(const QString& where, const QStringList& folders) {
  EngineOptions options;
  for (const QString& folder : folders) options.opFolders.emplace_back(folder.toStdString());
  return makeEngine(where.toStdString(), options);
}

QStringList editorWords(const QString& command, const QString& file, int line) {
  QStringList words = QProcess::splitCommand(command);
  bool named = false;
  for (QString& word : words) {
    named = named || word.contains(QStringLiteral("%f"));
    word.replace(QStringLiteral("%l"), QString::number(line)).replace(QStringLiteral("%f"), file);
  }
  if (!words.isEmpty() && !named) words << file;
  return words;
}

}  // namespace opscope::ui
