// SPDX-License-Identifier: Apache-2.0
#include "interrupts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "exit_codes.h"

namespace opscope::cli {
namespace {

// Wakes the watching thread for its end; nobody else sends it.
constexpr int kWake = SIGUSR2;

}  // namespace

Interrupts::Interrupts() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, kWake);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  thread_ = std::thread([this] { watch(); });
}

Interrupts::~Interrupts() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::setAction(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  action_ = std::move(action);
}

void Interrupts::watch() {
  while (true) {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0) continue;
    if (ending_) return;
    if (signal == kWake) continue;
    if (requested_.exchange(true)) _exit(kInterrupted);
    fmt::print(stderr, "\nopscope: stopping; once more ends at once\n");
    const std::lock_guard lock(mutex_);
    if (action_) action_();
  }
}

}  // namespace opscope::cli
