// SPDX-License-Identifier: GPL-3.0-or-later
#include "start_clock.h"

#include <unistd.h>

#include <QApplication>
#include <QEvent>
#include <QFile>
#include <cstdio>
#include <ctime>

#include "panels/pickers_bar.h"
#include "window/main_window.h"

namespace opscope::ui {
namespace {

/// Since the kernel made this process, in ms; it keeps that instant in ticks of 10 ms.
std::optional<double> sinceStart() {
  QFile file(QStringLiteral("/proc/self/stat"));
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  // The name in parentheses may hold anything; of what follows it, the 20th is the start.
  const QByteArray words = file.readAll();
  const QList<QByteArray> fields = words.mid(words.lastIndexOf(')') + 2).split(' ');
  constexpr int kStart = 19;
  if (fields.size() <= kStart) return std::nullopt;
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const double started = fields[kStart].toDouble() / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return 1e3 * (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - started);
}

}  // namespace

StartClock::StartClock(MainWindow& window) : window_(window) {
  window.installEventFilter(this);
  connect(&window.worker(), &Worker::idle, this, [this] {
    ready_ = sinceStart();
    // What arrived is painted in the turn of the loop that follows.
    QMetaObject::invokeMethod(this, &StartClock::tell, Qt::QueuedConnection);
  });
}

bool StartClock::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &window_ && event->type() == QEvent::Paint && !paints_) {
    paints_ = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
          painted_ = sinceStart();
          tell();
        },
        Qt::QueuedConnection);
  }
  return QObject::eventFilter(watched, event);
}

void StartClock::tell() {
  if (!painted_ || !ready_ || !window_.isEnabled()) return;
  ready_ = sinceStart();
  std::printf("painted after %.0f ms, %zu ops and %zu runs there after %.0f ms\n", *painted_,
              window_.pickers().catalogue().ops.size(), window_.session().runs().size(), *ready_);
  QApplication::exit(0);
}

}  // namespace opscope::ui
