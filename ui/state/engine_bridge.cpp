// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/engine_bridge.h"

#include <utility>

namespace opscope::ui {

struct EngineBridge::Mailbox {
  std::mutex mutex;
  std::deque<EngineEvent> events;
  std::optional<JobProgress> progress;
  std::chrono::steady_clock::time_point lastProgress{};
  Progress lastShown;
  bool woken = false;
  EngineBridge* bridge = nullptr;

  void put(const EngineEvent& event) {
    const std::scoped_lock lock(mutex);
    if (const auto* update = std::get_if<JobProgress>(&event)) {
      progress = *update;
      const auto now = std::chrono::steady_clock::now();
      const bool newPhase =
          update->progress.phase != lastShown.phase || update->progress.pass != lastShown.pass;
      if (!newPhase && now - lastProgress < kProgressInterval) return;
      // A burst of short phases is no reason to wake the window more often.
      if (newPhase && now - lastProgress < kProgressInterval / 4) return;
      lastProgress = now;
      lastShown = update->progress;
    } else {
      events.push_back(event);
    }
    if (woken || !bridge) return;
    woken = true;
    EngineBridge* const target = bridge;
    QMetaObject::invokeMethod(target, [target] { target->deliver(); }, Qt::QueuedConnection);
  }
};

EngineBridge::EngineBridge(std::shared_ptr<Engine> engine, QObject* parent)
    : QObject(parent), engine_(std::move(engine)), mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->bridge = this;
}

EngineBridge::~EngineBridge() {
  if (running_) {
    engine_->stop();
    engine_->wait();
  }
  const std::scoped_lock lock(mailbox_->mutex);
  mailbox_->bridge = nullptr;
}

void EngineBridge::start(const Job& job) {
  try {
    if (!running_) engine_->wait();  // a job tells of its end a moment before it is over
    engine_->start(job, [mailbox = mailbox_](const EngineEvent& event) { mailbox->put(event); });
    running_ = true;
  } catch (...) {
    Q_EMIT failed(currentErrorInfo(), nullptr);
  }
}

std::shared_ptr<Engine> EngineBridge::use(std::shared_ptr<Engine> engine) {
  return std::exchange(engine_, std::move(engine));
}

void EngineBridge::stop() {
  if (running_) engine_->stop();
}

// One event for each turn of the loop: passes that ended together are not one long event of the window's.
void EngineBridge::deliver() {
  std::optional<EngineEvent> event;
  std::optional<JobProgress> progress;
  {
    const std::scoped_lock lock(mailbox_->mutex);
    progress = std::exchange(mailbox_->progress, std::nullopt);
    if (!mailbox_->events.empty()) {
      event = std::move(mailbox_->events.front());
      mailbox_->events.pop_front();
    }
    mailbox_->woken = !mailbox_->events.empty();
    if (mailbox_->woken) QMetaObject::invokeMethod(this, [this] { deliver(); }, Qt::QueuedConnection);
  }
  if (progress && running_) Q_EMIT progressed(progress->progress);
  if (!event) return;
  if (auto* begun = std::get_if<JobStarted>(&*event)) {
    Q_EMIT started(begun->run);
  } else if (auto* pass = std::get_if<PassFinished>(&*event)) {
    Q_EMIT passFinished(pass->pass);
  } else if (auto* restart = std::get_if<BlockRestarted>(&*event)) {
    Q_EMIT blockRestarted(restart->block);
  } else if (auto* done = std::get_if<JobFinished>(&*event)) {
    running_ = false;
    Q_EMIT finished(done->run);
  } else if (auto* broken = std::get_if<JobFailed>(&*event)) {
    running_ = false;
    Q_EMIT failed(broken->error, broken->run);
  }
}

}  // namespace opscope::ui
