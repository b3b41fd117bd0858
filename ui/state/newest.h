// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <atomic>
#include <cstdint>
#include <memory>

#include "state/worker.h"

namespace opscope::ui {

/// Work for one view, off the GUI thread, of which only the newest request counts: a request that waits is
/// replaced, the result of one that was overtaken while it ran is dropped. The thread starts with the first
/// request.
class Newest : public QObject {
  Q_OBJECT
 public:
  explicit Newest(QObject* parent = nullptr) : QObject(parent) {}

  /// The task must not throw and must own what it touches.
  void request(Worker::Task task);
  /// Nothing is wanted any more.
  void drop() { ++newest_; }
  bool isBusy() const { return worker_ && worker_->pending() > 0; }

 private:
  std::atomic<std::uint64_t> newest_{0};
  std::unique_ptr<Worker> worker_;  // after what its thread reads
};

}  // namespace opscope::ui
