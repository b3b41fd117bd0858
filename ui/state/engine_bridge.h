// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

#include "engine/event_mailbox.h"

namespace opscope::ui {

/// Brings the engine's events to the GUI thread. Events wait in a mailbox that knows no Qt, which is only
/// woken; no timer runs meanwhile.
class EngineBridge : public QObject {
  Q_OBJECT
 public:
  explicit EngineBridge(std::shared_ptr<Engine> engine, QObject* parent = nullptr);
  ~EngineBridge() override;  ///< stops the job and waits for it

  bool isRunning() const { return running_; }
  /// Starts a job; a refusal comes back as failed().
  void start(const Job& job);
  void stop();
  std::shared_ptr<Engine> engine() { return engine_; }
  /// Measures with another engine from now on; returns the one before, whose end may take a moment. Nothing
  /// may be running.
  std::shared_ptr<Engine> use(std::shared_ptr<Engine> engine);

 Q_SIGNALS:
  void started(std::shared_ptr<const opscope::Run> run);
  void progressed(opscope::Progress progress);
  void passFinished(std::shared_ptr<const opscope::Pass> pass);
  /// Records were lost: the passes of this block are void.
  void blockRestarted(std::uint32_t block);
  void finished(std::shared_ptr<const opscope::Run> run);
  void failed(opscope::ErrorInfo error, std::shared_ptr<const opscope::Run> run);

 private:
  void deliver();

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<EventMailbox> mailbox_;  // outlives the bridge if the engine still holds it
  bool running_ = false;
};

}  // namespace opscope::ui
