// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/engine_bridge.h"

#include <utility>

namespace opscope::ui {

EngineBridge::EngineBridge(std::shared_ptr<Engine> engine, QObject* parent)
    : QObject(parent), engine_(std::move(engine)), mailbox_(std::make_shared<EventMailbox>([this] {
        QMetaObject::invokeMethod(this, [this] { deliver(); }, Qt::QueuedConnection);
      })) {}

EngineBridge::~EngineBridge() {
  if (running_) {
    engine_->stop();
    engine_->wait();
  }
  mailbox_->close();
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

void EngineBridge::deliver() {
  auto [progress, event, more] = mailbox_->take();
  if (more) QMetaObject::invokeMethod(this, [this] { deliver(); }, Qt::QueuedConnection);
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
