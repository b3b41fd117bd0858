// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>

namespace opscope::uitest {

/// Handles events until the condition holds. False after `milliseconds`, which only a condition that never
/// holds reaches. On the GUI thread.
template <typename Condition>
bool waitFor(Condition condition, int milliseconds = 20'000) {
  QElapsedTimer clock;
  clock.start();
  while (!condition() && clock.elapsed() < milliseconds)
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
  return condition();
}

}  // namespace opscope::uitest
