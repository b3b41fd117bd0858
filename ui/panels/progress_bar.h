// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QWidget>

#include "engine/engine.h"

namespace opscope::ui {

/// "pass 3 of 6, B eager: measure 120 of 200, 4 s left". Static while nothing comes: a busy animation would
/// disturb what is being timed.
class MeasureProgress : public QWidget {
  Q_OBJECT
 public:
  explicit MeasureProgress(QWidget* parent = nullptr);
  /// `what` is said before everything: which job of several.
  void begin(const QString& what = {});
  void show(const Progress& progress);
  /// Of something else that takes long; `share` of it, from 0 to 1, is done.
  void show(const QString& words, double share);
  void end();

 private:
  QString what_;
  QLabel* words_;
  QProgressBar* bar_;
};

/// Pure, for tests.
QString progressText(const Progress& progress);

}  // namespace opscope::ui
