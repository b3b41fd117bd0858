// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/watched_application.h"

#include <QEvent>
#include <ctime>
#include <utility>

namespace opscope::uitest {
namespace {

Ns threadCpuTime() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Ns{time.tv_sec} * kSecond + time.tv_nsec;
}

}  // namespace

void WatchedApplication::watch() {
  worst_ = {};
  watching_ = true;
}

WatchedApplication::Cost WatchedApplication::stop() {
  watching_ = false;
  return std::exchange(worst_, {});
}

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  if (!watching_) return QApplication::notify(receiver, event);
  // An event that is sent inside another is part of it: the outermost is what the window waits for, and being
  // measured last it is the dearest. What it was is asked first: it may be gone afterwards.
  const QString of = QStringLiteral("%1, event %2")
                         .arg(QString::fromLatin1(receiver->metaObject()->className()))
                         .arg(static_cast<int>(event->type()));
  const Ns before = threadCpuTime();
  const bool handled = QApplication::notify(receiver, event);
  const Ns cpu = threadCpuTime() - before;
  ++worst_.events;
  if (cpu > worst_.cpu) {
    worst_.cpu = cpu;
    worst_.of = of;
  }
  return handled;
}

WatchedApplication& watchedApplication() {
  return *static_cast<WatchedApplication*>(QCoreApplication::instance());
}

}  // namespace opscope::uitest
