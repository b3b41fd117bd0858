// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <functional>
#include <memory>

#include "state/engine_list.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace opscope::ui {

class Worker;

/// The engines by name: adds, changes and tries them, and chooses the one that measures. A trial runs on a
/// worker of the dialog's own, so that a host which does not answer holds up nothing.
class EnginesDialog : public QDialog {
  Q_OBJECT
 public:
  using Trial = std::function<EngineTrial(const std::string& where)>;

  /// `trial` starts an engine and throws what keeps it from being used; tryEngine, but for tests.
  EnginesDialog(EngineList engines, Trial trial, QWidget* parent = nullptr);
  ~EnginesDialog() override;

  const EngineList& engines() const { return engines_; }

 Q_SIGNALS:
  /// The list was changed, or another engine is to be used.
  void changed(const opscope::ui::EngineList& engines);

 private:
  void fill(std::size_t selected);
  void showSelected();
  void updateButtons();
  void keepEdits();
  void addEngine();
  void removeEngine();
  void tryIt();
  void useIt();
  void say(const QString& words);
  std::size_t selected() const;

  EngineList engines_;
  Trial trial_;
  Worker* worker_;
  QListWidget* list_;
  QLineEdit* name_;
  QLineEdit* where_;
  QLabel* found_;
  QPushButton* remove_;
  QPushButton* try_;
  QPushButton* use_;
  int trials_ = 0;  ///< counts, so that only the last one's result is shown
};

}  // namespace opscope::ui
