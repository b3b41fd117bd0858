// SPDX-License-Identifier: Apache-2.0
#include "remote/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "remote/server.h"

namespace opscope::remote {
namespace {

constexpr std::chrono::seconds kLastWords{2};

// The protocol has the two pipes to itself: what a library or a kernel prints goes to the log, and nothing
// reads what the client sent but the protocol.
struct Channel {
  int in = -1;
  int out = -1;
};

Channel takeStandardStreams() {
  const Channel channel{fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)};
  if (channel.in < 0 || channel.out < 0)
    throw BadInput("There is no standard input or output to speak the protocol through");
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return channel;
}

}  // namespace

int serveOnStandardStreams(const std::string& name, const std::function<std::unique_ptr<Engine>()>& make) {
  if (isatty(STDOUT_FILENO) != 0)
    throw BadInput("The engine speaks a protocol to programs, not to a terminal",
                   "Name its command as the engine: `opscope --engine COMMAND`, see `opscope run --help`.");
  const Channel channel = takeStandardStreams();
  const auto say = [name](const std::string& sentence) { fmt::print(stderr, "{}: {}\n", name, sentence); };
  auto engine = make();
  const auto over = std::make_shared<std::atomic<bool>>(false);
  // Nobody is there any more: a job that does not stop, and a driver that does not let go, end with the
  // process.
  const auto endSoon = [say, over] {
    std::thread([say, over] {
      std::this_thread::sleep_for(kLastWords);
      if (*over) return;
      say("the job did not stop in time; ending all the same");
      _exit(exitCodeOf(ErrorCode::EngineDied));
    }).detach();
  };
  const int code = serve(*engine, channel.in, channel.out, {.log = say, .onEnd = endSoon});
  // A lost device can keep whoever takes leave of it; there is nothing left to be saved here.
  if (code == kLostDevice) _exit(code);
  engine.reset();
  *over = true;
  return code;
}

}  // namespace opscope::remote
