// SPDX-License-Identifier: Apache-2.0
#include "timing/launch_thread.h"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace opscope {
namespace {

std::vector<int> coresOf(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cores;
  if (sched_getaffinity(thread, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

bool setCores(pid_t thread, const std::vector<int>& cores) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(core, &mask);
  return sched_setaffinity(thread, sizeof mask, &mask) == 0;
}

// How long a fixed piece of work takes where this thread runs now; the least of a few tries, so that one
// interrupt does not make a core look slow.
std::chrono::nanoseconds workTime() {
  constexpr int kTries = 3;
  constexpr std::uint32_t kSteps = 100'000;
  auto least = std::chrono::nanoseconds::max();
  for (int t = 0; t < kTries; ++t) {
    const auto from = std::chrono::steady_clock::now();
    volatile std::uint32_t state = 1;
    for (std::uint32_t i = 0; i < kSteps; ++i) state = state * 1664525U + 1013904223U;
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - from);
  }
  return least;
}

// A core whose hyperthread sibling works for somebody else issues launches at half the speed (a launch
// took 4.4 or 6.1 us, seen on one machine), so the cores are tried, under a millisecond each. With few cores
// there is nothing to choose.
int quickestOf(const std::vector<int>& candidates) {
  constexpr std::size_t kWorthTrying = 4, kMostTried = 32;
  if (candidates.size() < kWorthTrying) return candidates.back();
  int quickest = -1;
  auto least = std::chrono::nanoseconds::max();
  for (std::size_t c = candidates.size(), tried = 0; c-- > 0 && tried < kMostTried; ++tried) {
    if (!setCores(0, {candidates[c]})) continue;
    if (const auto time = workTime(); time < least) {
      least = time;
      quickest = candidates[c];
    }
  }
  return quickest;
}

}  // namespace

LaunchThread::LaunchThread() : thread_([this](std::stop_token ending) { loop(std::move(ending)); }) {}

LaunchThread::~LaunchThread() {
  stop();
}

std::future<void> LaunchThread::post(std::function<void(std::stop_token)> work) {
  Item item{std::packaged_task<void(std::stop_token)>(std::move(work)), {}};
  std::future<void> done = item.task.get_future();
  {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
  }
  wake_.notify_one();
  return done;
}

void LaunchThread::stop() {
  const std::lock_guard lock(mutex_);
  running_.request_stop();
  for (Item& item : items_) item.stop.request_stop();
}

void LaunchThread::loop(std::stop_token ending) {
  for (;;) {
    Item item;
    {
      std::unique_lock lock(mutex_);
      // What was posted before the end still runs: it holds what must be released on this thread.
      if (!wake_.wait(lock, ending, [this] { return !items_.empty(); })) return;
      item = std::move(items_.front());
      items_.pop_front();
      running_ = item.stop;
    }
    item.task(item.stop.get_token());
  }
}

int pinThisThread(const std::vector<int>& preferred) {
  const std::vector<int> allowed = coresOf(0);
  if (allowed.empty()) return -1;
  std::vector<int> candidates;
  for (const int core : preferred)
    if (std::find(allowed.begin(), allowed.end(), core) != allowed.end()) candidates.push_back(core);
  if (candidates.empty()) candidates = allowed;
  const int core = quickestOf(candidates);
  return core >= 0 && setCores(0, {core}) ? core : -1;
}

void keepOtherThreadsOff(int core) {
  struct CloseDir {
    void operator()(DIR* dir) const { closedir(dir); }
  };
  const std::unique_ptr<DIR, CloseDir> tasks(opendir("/proc/self/task"));
  if (!tasks) return;
  const pid_t self = gettid();
  std::vector<int> others;
  for (int c = 0; c < static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); ++c)
    if (c != core) others.push_back(c);
  if (others.empty()) return;
  while (const dirent* entry = readdir(tasks.get())) {
    const pid_t thread = std::atoi(entry->d_name);
    if (thread <= 0 || thread == self) continue;
    std::vector<int> cores = coresOf(thread);
    const auto at = std::find(cores.begin(), cores.end(), core);
    if (at == cores.end()) continue;
    cores.erase(at);
    // A thread that was started by the pinned one inherited its only core.
    setCores(thread, cores.empty() ? others : cores);
  }
}

}  // namespace opscope
