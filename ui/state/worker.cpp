// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/worker.h"

#include <utility>

namespace opscope::ui {

Worker::Worker(QObject* parent) : QObject(parent), thread_([this](std::stop_token stop) { loop(stop); }) {}

Worker::~Worker() {
  thread_.request_stop();
  thread_.join();
}

void Worker::post(Task task) {
  ++pending_;
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void Worker::loop(std::stop_token stop) {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    auto result = task();
    if (stop.stop_requested()) return;
    {
      const std::scoped_lock lock(mutex_);
      results_.push_back(std::move(result));
    }
    QMetaObject::invokeMethod(this, [this] { deliver(); }, Qt::QueuedConnection);
  }
}

void Worker::deliver() {
  std::function<void()> result;
  {
    const std::scoped_lock lock(mutex_);
    if (results_.empty()) return;
    result = std::move(results_.front());
    results_.pop_front();
  }
  if (result) result();
  if (--pending_ == 0) Q_EMIT idle();
}

}  // namespace opscope::ui
