// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QString>

#include "base/ns.h"

namespace opscope::uitest {

/// The application of the tests. While it watches, it measures what each event costs its thread in CPU time:
/// a stretch of wall time says as much of the machine as of the window.
class WatchedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  /// The dearest event since watch().
  struct Cost {
    Ns cpu = 0;
    QString of;  ///< the class that received it, and the event's type
    int events = 0;
  };
  void watch();
  Cost stop();

  bool notify(QObject* receiver, QEvent* event) override;

 private:
  bool watching_ = false;
  Cost worst_;
};

/// The one of this process.
WatchedApplication& watchedApplication();

}  // namespace opscope::uitest
