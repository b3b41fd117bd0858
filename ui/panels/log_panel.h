// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

#include "base/error.h"

namespace opscope::ui {

/// What happened in this window, one line each, newest last.
class LogPanel : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit LogPanel(QWidget* parent = nullptr);
  void say(const QString& sentence);
  void say(const ErrorInfo& error);
};

}  // namespace opscope::ui
