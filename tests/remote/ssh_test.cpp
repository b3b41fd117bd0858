// SPDX-License-Identifier: Apache-2.0
//
// The engine at the other end of a real ssh, with a server of the test's own on the loopback.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "engine/running_job.h"
#include "remote/child.h"
#include "remote/make_engine.h"
#include "remote/same_run.h"
#include "remote/waiting.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

std::string programNamed(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"})
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return {};
}

int freePort() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  bind(probe, reinterpret_cast<const sockaddr*>(&address), length);
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length);
  close(probe);
  return ntohs(address.sin_port);
}

bool listens(int port) {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool connected = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return connected;
}

void makeKey(const fs::path& file) {
  remote::Child child({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.string()});
  REQUIRE(child.end(std::chrono::milliseconds(10'000)) == 0);
}

// An sshd that lets in one key, whoever runs the test.
class Sshd {
 public:
  explicit Sshd(const std::string& program) : port_(freePort()) {
    makeKey(folder_ / "host");
    makeKey(folder_ / "mine");
    makeKey(folder_ / "other");
    fs::copy_file(folder_ / "mine.pub", folder_ / "allowed");
    fs::permissions(folder_ / "allowed", fs::perms::owner_read | fs::perms::owner_write);
    const auto at = [this](const char* name) { return (folder_ / name).string(); };
    writeText(folder_ / "sshd_config",
              "ListenAddress 127.0.0.1\nHostKey " + at("host") + "\nAuthorizedKeysFile " + at("allowed") +
                  "\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
                  "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nLogLevel ERROR\n");
    daemon_.emplace(
        std::vector<std::string>{program, "-D", "-e", "-f", at("sshd_config"), "-p", std::to_string(port_)});
    for (int i = 0; i < 500 && !listens(port_); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  bool up() const { return listens(port_); }
  std::string command(const std::string& key, const std::string& remote) const {
    return "ssh -F none -p " + std::to_string(port_) + " -i " + (folder_ / key).string() +
           " -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR -o UserKnownHostsFile=" +
           (folder_ / "known").string() + " 127.0.0.1 '" + remote + "'";
  }

 private:
  TemporaryFolder folder_;
  int port_;
  std::optional<remote::Child> daemon_;
};

}  // namespace

TEST_CASE("through a real ssh: the same results as here, run by run, and what is wrong when something is") {
  const std::string program = programNamed("sshd");
  if (program.empty() || programNamed("ssh").empty()) SKIP("there is no sshd here (package openssh-server)");
  if (geteuid() == 0) fs::create_directories("/run/sshd");
  const Sshd sshd(program);
  if (!sshd.up()) SKIP("this system does not let an sshd run");
  const std::string serve = std::string(OPSCOPE_PROGRAM) + " serve";

  const auto local = makeLocalEngine();
  const auto far = makeEngine(sshd.command("mine", serve));
  for (const Job& job : sameJobs()) checkSame(*runJob(*local, job), *runJob(*far, job));

  const auto failureOf = [](const std::string& command) {
    const auto engine = makeEngine(command);
    const Ended ended = runToEnd(*engine, tinyNorm());
    REQUIRE(ended.failure);
    CHECK(ended.failure->code == ErrorCode::EngineDied);
    return describe(*ended.failure);
  };
  CHECK_THAT(failureOf(sshd.command("other", serve)),
             ContainsSubstring("Permission denied") && ContainsSubstring("key"));
  CHECK_THAT(failureOf(sshd.command("mine", "/no/such/opscope serve")),
             ContainsSubstring("Install Opscope there"));
  CHECK_THAT(failureOf(sshd.command("mine", "echo hello there")), ContainsSubstring("hello there"));
}

TEST_CASE("a connection that drops ends the engine at the other end") {
  const std::string program = programNamed("sshd");
  if (program.empty() || programNamed("ssh").empty()) SKIP("there is no sshd here (package openssh-server)");
  if (geteuid() == 0) fs::create_directories("/run/sshd");
  const Sshd sshd(program);
  if (!sshd.up()) SKIP("this system does not let an sshd run");
  auto far =
      makeRemoteEngine({"sh", "-c", "exec " + sshd.command("mine", std::string(OPSCOPE_PROGRAM) + " serve")});
  const pid_t pid = static_cast<pid_t>(far->identity().pid);
  startAndRun(*far, tinyNorm());
  far.reset();
  for (int i = 0; i < 1000 && kill(pid, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(kill(pid, 0) == -1);
}
