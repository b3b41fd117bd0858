// SPDX-License-Identifier: Apache-2.0
#include "app/subprocess.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

namespace opscope::test {
namespace {

struct Channel {
  int read = -1;
  int write = -1;
};

Channel openChannel(bool terminal) {
  std::array<int, 2> ends{};
  const int failed = terminal ? openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) : pipe(ends.data());
  if (failed != 0) throw std::system_error(errno, std::generic_category(), "channel");
  // The other child processes of a parallel test must not keep this end open.
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  return {ends[0], ends[1]};
}

std::string readAll(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // a terminal whose other end closed says EIO
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(descriptor);
  return text;
}

}  // namespace

Finished runOpscope(const std::vector<std::string>& arguments, const std::function<void(pid_t)>& during,
                    bool terminal) {
  const Channel out = openChannel(false);
  const Channel err = openChannel(terminal);
  std::vector<std::string> words{OPSCOPE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    dup2(out.write, STDOUT_FILENO);
    dup2(err.write, STDERR_FILENO);
    close(out.write);
    close(err.write);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(out.write);
  close(err.write);
  Finished finished;
  std::thread reader([&] { finished.err = readAll(err.read); });
  std::thread other;
  if (during) other = std::thread([&] { during(child); });
  finished.out = readAll(out.read);
  reader.join();
  if (other.joinable()) other.join();
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) finished.exitCode = WEXITSTATUS(status);
  return finished;
}

}  // namespace opscope::test
