// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/log_panel.h"

#include <QTime>

#include "state/text.h"

namespace opscope::ui {

LogPanel::LogPanel(QWidget* parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setMaximumBlockCount(2'000);
  setAccessibleName(tr("Log"));
  setPlaceholderText(tr("Nothing has happened yet."));
}

void LogPanel::say(const QString& sentence) {
  appendPlainText(QTime::currentTime().toString(QStringLiteral("HH:mm:ss  ")) + sentence);
}

void LogPanel::say(const ErrorInfo& error) {
  say(text(nameOf(error.code)) + QStringLiteral(": ") + describeText(error));
}

}  // namespace opscope::ui
