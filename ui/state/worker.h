// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace opscope::ui {

/// Does slow things (files, the catalogue, the devices) off the GUI thread, one after the other. Results come
/// back through a queue of our own: Qt is only woken.
class Worker : public QObject {
  Q_OBJECT
 public:
  /// Runs on the worker's thread and returns what the GUI thread is to do with the result. Must not throw.
  using Task = std::function<std::function<void()>()>;

  explicit Worker(QObject* parent = nullptr);
  ~Worker() override;  ///< waits for the task in flight; drops the others

  void post(Task task);
  /// Tasks not yet delivered. GUI thread.
  int pending() const { return pending_; }

 Q_SIGNALS:
  void idle();

 private:
  void loop(std::stop_token stop);
  void deliver();

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Task> tasks_;
  std::deque<std::function<void()>> results_;
  int pending_ = 0;
  std::jthread thread_;
};

}  // namespace opscope::ui
