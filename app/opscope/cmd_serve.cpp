// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "commands.h"
#include "exit_codes.h"
#include "remote/server.h"

namespace opscope::cli {
namespace {

constexpr std::chrono::seconds kGrace{2};

void say(const std::string& sentence) {
  fmt::print(stderr, "opscope serve: {}\n", sentence);
}

// The protocol has the two pipes to itself: what a library or a kernel prints goes to the log, and nothing
// reads what the client sent but the protocol.
struct Channel {
  int in = -1;
  int out = -1;
};

Channel takeStandardStreams() {
  const Channel channel{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
  if (channel.in < 0 || channel.out < 0)
    throw BadInput("opscope serve has no standard input or output to speak through");
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return channel;
}

// Nobody is there any more: a job that does not stop, and a driver that does not let go, end with the
// process.
void endSoon() {
  std::thread([] {
    std::this_thread::sleep_for(kGrace);
    say("the job did not stop in time; ending all the same");
    _exit(exitCodeOf(ErrorCode::EngineDied));
  }).detach();
}

}  // namespace

int serve(const Options& options) {
  if (isatty(STDOUT_FILENO) != 0) {
    say("this speaks a protocol to programs, not to a terminal. Use it as `opscope --engine COMMAND`, see "
        "`opscope run --help`");
    return kUsageError;
  }
  const Channel channel = takeStandardStreams();
  const auto engine = makeLocalEngine({.opFolders = options.opFolders});
  const int code = remote::serve(*engine, channel.in, channel.out, {.log = say, .onEnd = endSoon});
  // A lost device can keep whoever takes leave of it; there is nothing left to be saved here.
  if (code == remote::kLostDevice) _exit(code);
  return code;
}

}  // namespace opscope::cli
