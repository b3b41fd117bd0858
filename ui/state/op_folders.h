// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <memory>

#include "engine/engine.h"

class QSettings;

namespace opscope::ui {

/// The folders with ops of the user's own that are kept in the settings, as absolute paths.
QStringList opFolders(const QSettings& settings);
void keepOpFolders(QSettings& settings, const QStringList& folders);

/// Whether an engine sees this machine's files: one that a command leads to may be anywhere.
bool isOnThisMachine(const QString& where);

/// The engine there, with these folders of this machine. Throws what makeEngine() throws.
std::unique_ptr<Engine> openEngine(const QString& where, const QStringList& folders);

/// The words of an editor's command: "%f" is the file, "%l" the line; without "%f" the file comes last.
QStringList editorWords(const QString& command, const QString& file, int line);

}  // namespace opscope::ui
