// SPDX-License-Identifier: Apache-2.0
#include "remote/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::remote;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using std::chrono::milliseconds;

namespace {

std::string readAll(int descriptor) {
  Bytes bytes;
  while (readSome(descriptor, bytes, 1000)) {
  }
  return {bytes.begin(), bytes.end()};
}

bool exists(pid_t process) {
  // A zombie that init has not yet reaped does not run any more.
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(stat, text);
  const auto at = text.rfind(')');
  return at != std::string::npos && text.size() > at + 2 && text[at + 2] != 'Z' && text[at + 2] != 'X';
}

}  // namespace

TEST_CASE("a child has our words, its three streams and nothing else of ours") {
  const Pipe extra = openPipe();
  Child child({"sh", "-c", "cat; echo \"$1\"; ls /proc/self/fd | wc -l", "sh", "a b"});
  REQUIRE(writeAll(child.input(), Bytes{'h', 'i', '\n'}, milliseconds(1000)));
  child.closeInput();
  // ls itself opens the folder: 0, 1, 2 and that.
  CHECK(readAll(child.output()) == "hi\na b\n4\n");
  CHECK(describeStatus(child.end(milliseconds(5000))) == "ended with exit code 0");
}

TEST_CASE("a program that is not there is named") {
  try {
    Child child({"no-such-program-anywhere", "serve"});
    FAIL("it started");
  } catch (const EngineDied& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("no-such-program-anywhere serve"));
    CHECK_THAT(error.info().remedy, ContainsSubstring("install"));
  }
  CHECK_THROWS_AS(Child({"/dev/null"}), EngineDied);
}

TEST_CASE("how a child ended is said in words") {
  const auto ending = [](const char* script) {
    Child child({"sh", "-c", script});
    return describeStatus(child.end(milliseconds(5000)));
  };
  CHECK(ending("exit 3") == "ended with exit code 3");
  CHECK(ending("kill -9 $$") == "was ended by SIGKILL");
  CHECK(ending("kill -SEGV $$") == "was ended by SIGSEGV");
  CHECK_THAT(ending("sh -c 'kill -9 $$'; exit $?"), ContainsSubstring("137") && ContainsSubstring("SIGKILL"));
}

TEST_CASE("a child that does not want to end is ended, with all that it started") {
  Child child({"sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000"});
  Bytes line;
  REQUIRE(readSome(child.output(), line, 100));
  const pid_t grandchild = std::stoi(std::string(line.begin(), line.end()));
  CHECK(exists(grandchild));
  CHECK(describeStatus(child.end(milliseconds(0))) == "was ended by SIGKILL");
  for (int i = 0; i < 500 && exists(grandchild); ++i) usleep(10'000);
  CHECK_FALSE(exists(grandchild));
}

TEST_CASE("signals that this process holds back reach its child") {
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  Child child({"sleep", "1000"});
  const auto from = std::chrono::steady_clock::now();
  CHECK(describeStatus(child.end(milliseconds(0))) == "was ended by SIGTERM");
  CHECK(std::chrono::steady_clock::now() - from < std::chrono::seconds(5));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("a write to a child that is gone fails, and raises nothing") {
  Child child({"true"});
  child.end(milliseconds(5000));
  const Bytes much(1 << 20);
  CHECK_FALSE(writeAll(child.input(), much, milliseconds(1000)));
}

TEST_CASE("a write to a child that does not read gives up in time") {
  Child child({"sleep", "1000"});
  CHECK_FALSE(writeAll(child.input(), Bytes(1 << 20), milliseconds(50)));
}
