// SPDX-License-Identifier: Apache-2.0
#include "remote/pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "base/error.h"

namespace opscope::remote {
namespace {

// A write to a pipe that nobody reads raises SIGPIPE in the writing thread, which would end a program that
// did not ask for it, and whose handling is the program's to choose. So it is held back here, and taken away.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    wasPending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoBrokenPipe() {
    const timespec now{};
    if (raised_ && !wasPending_) sigtimedwait(&only_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  void raised() { raised_ = true; }

 private:
  sigset_t only_{};
  sigset_t before_{};
  bool wasPending_ = false;
  bool raised_ = false;
};

[[noreturn]] void noDescriptor() {
  throw EngineDied(fmt::format("No channel to an engine can be made: {}", std::strerror(errno)),
                   "Close what is not needed, or raise the limit of open files (ulimit -n).");
}

}  // namespace

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

Pipe openPipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) noDescriptor();
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

WakeUp::WakeUp() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!descriptor_.valid()) noDescriptor();
}

void WakeUp::raise() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(descriptor(), &one, sizeof one);
}

void WakeUp::clear() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = read(descriptor(), &count, sizeof count);
}

bool writeAll(int descriptor, ByteView bytes, std::chrono::milliseconds patience) {
  NoBrokenPipe guard;
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      continue;
    }
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      const int found = poll(&ready, 1, patience.count() < 0 ? -1 : static_cast<int>(patience.count()));
      if (found > 0 || (found < 0 && errno == EINTR)) continue;
      return false;
    }
    if (written < 0 && errno == EPIPE) guard.raised();
    return false;
  }
  return true;
}

bool readSome(int descriptor, Bytes& into, std::size_t most) {
  const std::size_t before = into.size();
  into.resize(before + most);
  ssize_t got = -1;
  do got = read(descriptor, into.data() + before, most);
  while (got < 0 && errno == EINTR);
  into.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
  return got > 0 || (got < 0 && errno == EAGAIN);
}

}  // namespace opscope::remote
