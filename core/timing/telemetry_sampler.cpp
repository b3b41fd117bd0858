// SPDX-License-Identifier: Apache-2.0
#include "timing/telemetry_sampler.h"

#include <unistd.h>

#include <utility>

namespace opscope {
namespace {

// A thread starts with the cores of the one that made it: for the launch thread its one core, which is to run
// launches only. False when there is no other core to go to.
bool leave(const cpu_set_t& cores) {
  if (CPU_COUNT(&cores) != 1) return true;  // the maker is not pinned: nothing to keep off
  cpu_set_t others;
  CPU_ZERO(&others);
  for (int core = 0; core < static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); ++core)
    if (!CPU_ISSET(core, &cores)) CPU_SET(core, &others);
  return sched_setaffinity(0, sizeof others, &others) == 0;
}

}  // namespace

TelemetrySampler::TelemetrySampler(TelemetrySource* source, std::chrono::nanoseconds period)
    : source_(source), period_(period) {
  if (source_ == nullptr) return;
  if (sched_getaffinity(0, sizeof launchCores_, &launchCores_) != 0) CPU_ZERO(&launchCores_);
  thread_ = std::thread([this] { loop(); });
}

TelemetrySampler::~TelemetrySampler() {
  stop(false);
}

void TelemetrySampler::request() {
  if (source_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    ++requests_;
  }
  wake_.notify_one();
}

void TelemetrySampler::await() {
  if (source_ == nullptr) return;
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return served_ == requests_; });
}

TelemetrySampler::Readings TelemetrySampler::finish() {
  await();
  stop(true);
  return std::exchange(readings_, {});
}

void TelemetrySampler::stop(bool lookAtUse) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    lookAtUse_ = lookAtUse;
  }
  wake_.notify_one();
  thread_.join();
}

void TelemetrySampler::loop() {
  // On the launch thread's only core it would take the processor away from an iteration: it then reads only
  // when the launch thread asks, and waits.
  const bool byItself = leave(launchCores_);
  std::unique_lock lock(mutex_);
  const auto called = [this] { return ending_ || served_ < requests_; };
  while (!ending_) {
    if (byItself)
      wake_.wait_for(lock, period_, called);
    else
      wake_.wait(lock, called);
    if (ending_) break;
    const std::uint64_t asked = requests_;
    lock.unlock();
    if (const auto sample = source_->read()) readings_.samples.push_back(*sample);
    lock.lock();
    // A request that came while the sensors were being read is for another reading.
    served_ = asked;
    taken_.notify_all();
  }
  if (lookAtUse_) {
    lock.unlock();
    readings_.use = source_->use();
  }
}

}  // namespace opscope
