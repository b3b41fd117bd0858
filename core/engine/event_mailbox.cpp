// SPDX-License-Identifier: Apache-2.0
#include "engine/event_mailbox.h"

#include <utility>

namespace opscope {

void EventMailbox::put(const EngineEvent& event, Clock::time_point now) {
  // Held while it wakes, so that close() can promise that nobody does.
  const std::scoped_lock lock(mutex_);
  if (const auto* update = std::get_if<JobProgress>(&event)) {
    progress_ = *update;
    if (!isWorthWaking(update->progress, now)) return;
  } else {
    events_.push_back(event);
  }
  if (woken_ || !wake_) return;
  woken_ = true;
  wake_();
}

bool EventMailbox::isWorthWaking(const Progress& progress, Clock::time_point now) {
  const bool newPhase = progress.phase != lastShown_.phase || progress.pass != lastShown_.pass;
  // A burst of short phases is no reason to wake more often than a few times in the interval.
  const auto patience = newPhase ? kProgressInterval / 4 : kProgressInterval;
  if (lastWakingProgress_ && now - *lastWakingProgress_ < patience) return false;
  lastWakingProgress_ = now;
  lastShown_ = progress;
  return true;
}

EventMailbox::Delivery EventMailbox::take() {
  Delivery delivery;
  const std::scoped_lock lock(mutex_);
  delivery.progress = std::exchange(progress_, std::nullopt);
  if (!events_.empty()) {
    delivery.event = std::move(events_.front());
    events_.pop_front();
  }
  woken_ = !events_.empty();
  delivery.more = woken_;
  return delivery;
}

void EventMailbox::close() {
  const std::scoped_lock lock(mutex_);
  wake_ = nullptr;
}

}  // namespace opscope
