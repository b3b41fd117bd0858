// SPDX-License-Identifier: Apache-2.0
#include "remote/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/error.h"

namespace opscope::remote {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGrace{500};
constexpr int kFirstInherited = 3;

// In the child of a process with threads: nothing here may allocate or lock.
[[noreturn]] void become(char* const* words, const std::array<int, 3>& standard, int report, pid_t parent) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before the line above
  // The ends of our pipes lie above 2 only if our own three were open, so they are moved up first.
  std::array<int, 4> high{};
  for (std::size_t i = 0; i < standard.size(); ++i) high[i] = fcntl(standard[i], F_DUPFD, 10);
  high[3] = fcntl(report, F_DUPFD, 10);
  for (int i = 0; i < 3; ++i) dup2(high[static_cast<std::size_t>(i)], i);
  dup2(high[3], kFirstInherited);
  fcntl(kFirstInherited, F_SETFD, FD_CLOEXEC);
  // Whatever else this process has open, the child of a later engine's pipe above all, is not the child's.
  syscall(SYS_close_range, kFirstInherited + 1, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  execvp(words[0], words);
  const int error = errno;
  [[maybe_unused]] const auto written = write(kFirstInherited, &error, sizeof error);
  _exit(127);
}

void doNotBlock(int descriptor) {
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

}  // namespace

Child::Child(const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe in = openPipe(), out = openPipe(), err = openPipe(), report = openPipe();
  const pid_t self = getpid();
  pid_ = fork();
  if (pid_ == 0)
    become(argv.data(), {in.read.get(), out.write.get(), err.write.get()}, report.write.get(), self);
  const auto failed = [&words](int error) {
    return EngineDied(
        fmt::format("The engine `{}` cannot be started: {}", fmt::join(words, " "), std::strerror(error)),
        error == ENOENT ? fmt::format("There is no program {}: install it, or give its full path.", words[0])
                        : "");
  };
  if (pid_ < 0) throw failed(errno);
  report.write.reset();
  int error = 0;
  ssize_t got = -1;
  do got = read(report.read.get(), &error, sizeof error);
  while (got < 0 && errno == EINTR);
  if (got == sizeof error) {
    waitpid(pid_, nullptr, 0);
    throw failed(error);
  }
  input_ = std::move(in.write);
  output_ = std::move(out.read);
  errors_ = std::move(err.read);
  doNotBlock(input());
  doNotBlock(errors());
}

Child::~Child() {
  end(milliseconds(0));
}

bool Child::endedWithin(milliseconds patience) const {
  const auto until = std::chrono::steady_clock::now() + patience;
  milliseconds nap{1};
  while (true) {
    siginfo_t info{};
    // Not reaped yet: until then its number, and that of its group, are nobody else's.
    const int found = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if ((found == 0 && info.si_pid == pid_) || (found < 0 && errno != EINTR)) return true;
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(nap);
    nap = std::min(nap * 2, milliseconds(20));
  }
}

int Child::end(milliseconds patience) {
  if (status_) return *status_;
  if (!endedWithin(patience)) {
    closeInput();
    kill(-pid_, SIGTERM);
    endedWithin(kGrace);
  }
  kill(-pid_, SIGKILL);  // if need be; and what it started itself and left behind
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = status;
  return status;
}

std::string describeStatus(int status) {
  const auto bySignal = [](int signal) {
    const char* name = sigabbrev_np(signal);
    return name != nullptr ? fmt::format("was ended by SIG{}", name)
                           : fmt::format("was ended by signal {}", signal);
  };
  if (WIFSIGNALED(status)) return bySignal(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  constexpr int kShellSaysSignal = 128;
  if (code > kShellSaysSignal && sigabbrev_np(code - kShellSaysSignal) != nullptr)
    return fmt::format("ended with exit code {} (a program in it {})", code,
                       bySignal(code - kShellSaysSignal));
  return fmt::format("ended with exit code {}", code);
}

}  // namespace opscope::remote
