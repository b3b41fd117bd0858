// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>

namespace opscope::uitest {

/// In ms, for what compiles, measures or dies: reached only by what never comes.
inline constexpr int kPatience = 120'000;

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

/// Handles events for so long: before a picture for a person, of plots that draw themselves later and
/// palettes that arrive in several events. Nothing is asserted of the time.
inline void settleFor(int milliseconds = 300) {
  QElapsedTimer clock;
  clock.start();
  while (clock.elapsed() < milliseconds) QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
}

}  // namespace opscope::uitest
