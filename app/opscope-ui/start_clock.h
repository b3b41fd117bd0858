// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <optional>

namespace opscope::ui {

class MainWindow;

/// What `opscope-ui --time-start` says: how long after the start of the process the window was painted for
/// the first time, and how long after it everything that was asked for is there: the ops to choose from, and
/// the sessions. Ends the program then. GUI thread.
class StartClock : public QObject {
  Q_OBJECT
 public:
  /// Before the window is shown.
  explicit StartClock(MainWindow& window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void tell();

  MainWindow& window_;
  bool paints_ = false;
  std::optional<double> painted_;  // ms
  std::optional<double> ready_;
};

}  // namespace opscope::ui
