// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/engine.h"

namespace opscope::ui {

/// Brings the engine's events to the GUI thread. Events wait in a queue of our own, under a mutex; Qt is only
/// woken. Progress is coalesced to the newest and wakes the window at most ten times a second, so that a
/// window that shows it does not disturb what is being timed; no timer runs meanwhile.
class EngineBridge : public QObject {
  Q_OBJECT
 public:
  static constexpr std::chrono::milliseconds kProgressInterval{100};

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
  /// What the engine's thread and the GUI thread share; outlives the bridge if the engine still holds it.
  struct Mailbox;
  void deliver();

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Mailbox> mailbox_;
  bool running_ = false;
};

}  // namespace opscope::ui
