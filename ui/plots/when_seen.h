// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QPointer>
#include <functional>

namespace opscope::ui {

/// Work that a view puts off until it is seen. Of a window's dozen docks two or three are: were all of them
/// redrawn for every selection, each would cost what the hidden ones show. A view that lies in no dock is
/// always seen. GUI thread.
class WhenSeen : public QObject {
 public:
  /// `view` owns this and what `work` touches.
  WhenSeen(QWidget& view, std::function<void()> work);

  /// Does the work: at once, or where the view's dock is closed or behind another, when that comes up.
  void ask();
  /// Does at once what was put off: for whoever asks a hidden view what it shows.
  void catchUp();

 private:
  QWidget& view_;
  std::function<void()> work_;
  bool due_ = false;
  QPointer<QDockWidget> dock_;  ///< that tells when it comes up
};

}  // namespace opscope::ui
