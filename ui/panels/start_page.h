// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <filesystem>

#include "engine/engine.h"

class QListWidget;

namespace opscope::ui {

class OpPicker;

/// Before the first run: recorded sessions to open, and the ops to measure.
class StartPage : public QWidget {
  Q_OBJECT
 public:
  explicit StartPage(QWidget* parent = nullptr);
  void setOps(const CatalogueInfo& catalogue);
  int samples() const;

 Q_SIGNALS:
  void openRequested(const std::filesystem::path& file);
  void opChosen(const QString& name);
  void measureRequested();

 private:
  void findSamples();

  QListWidget* samples_;
  OpPicker* ops_;
};

}  // namespace opscope::ui
