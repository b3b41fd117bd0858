// SPDX-License-Identifier: Apache-2.0
#include "engine/recorder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "session/kept.h"
#include "session/sqlite.h"
#include "session/synthetic.h"
#include "trace/attribution.h"
#include "trace/measure.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

// A recording in a process of its own.
class Puppet {
 public:
  Puppet(const fs::path& file, const std::string& records) {
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    const std::string name = file.string();
    process_ = fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execl(OPSCOPE_RECORDING_PUPPET, OPSCOPE_RECORDING_PUPPET, name.c_str(), records.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    out_ = fdopen(ends[0], "r");
  }
  ~Puppet() { std::fclose(out_); }
  Puppet(const Puppet&) = delete;
  Puppet& operator=(const Puppet&) = delete;

  // The next thing that it says; empty at its end.
  std::string line() {
    std::array<char, 512> text{};
    return std::fgets(text.data(), text.size(), out_) == nullptr ? std::string() : std::string(text.data());
  }
  void kill() {
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_ = -1;
  std::FILE* out_ = nullptr;
};

// What a recording said that it has kept: busy of each pass, added up.
class Reported {
 public:
  void take(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    std::uint32_t block = 0, pass = 0;
    Ns busy = 0;
    words >> what >> block;
    CHECK(what != "failed");
    if (what == "void") std::erase_if(passes, [&](const auto& each) { return each.second.first == block; });
    if (what != "kept") return;
    words >> pass >> busy;
    passes[pass] = {block, busy};
  }
  std::map<std::uint32_t, std::pair<std::uint32_t, Ns>> passes;
};

std::uint64_t testSeed() {
  const char* given = std::getenv("OPSCOPE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

}  // namespace

TEST_CASE("a recording that is killed at any moment leaves every finished pass") {
  const std::uint64_t seed = testSeed();
  std::printf("kill -9 at random moments: OPSCOPE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
#ifdef OPSCOPE_SANITIZED
  constexpr int kTimes = 10;  // each is a process that starts under the sanitizer
#else
  constexpr int kTimes = 50;
#endif
  int withPasses = 0;
  for (int time = 0; time < kTimes; ++time) {
    INFO("seed " << seed << ", time " << time);
    const TemporaryFolder folder;
    const fs::path file = folder / "s.opscope";
    Reported reported;
    {
      Puppet puppet(file, "all");
      const auto lines = std::uniform_int_distribution<int>(0, 12)(random);
      for (int i = 0; i < lines; ++i) reported.take(puppet.line());
      std::this_thread::sleep_for(
          std::chrono::microseconds(std::uniform_int_distribution<int>(0, 6'000)(random)));
      puppet.kill();
      for (std::string line = puppet.line(); line.ends_with('\n'); line = puppet.line()) reported.take(line);
    }
    if (reported.passes.empty()) continue;  // killed while the file was made
    ++withPasses;
    const Session session = readSession(file);
    REQUIRE(session.runs.size() == 1);
    const Run& run = *session.runs[0];
    CHECK(run.cancelled);
    CHECK_THAT(run.note, ContainsSubstring("ended before this run did"));
    // One more may be in the file, whose report the kill prevented.
    REQUIRE(run.passes.size() >= reported.passes.size());
    REQUIRE(run.passes.size() <= reported.passes.size() + 1);
    for (const auto& pass : run.passes) {
      REQUIRE_FALSE(pass->samples.empty());
      // Whole, with its records.
      CHECK(measure(pass->trace, attribute(pass->trace)).size() == pass->samples.size());
      const auto found = reported.passes.find(pass->pass);
      if (found == reported.passes.end()) continue;
      Ns busy = 0;
      for (const Sample& sample : pass->samples) busy += sample.busy;
      CHECK(busy == found->second.second);
      reported.passes.erase(found);
    }
    CHECK(reported.passes.empty());
    // Whoever adds to it next leaves one plain file.
    SessionWriter next(file);
    next.close();
    CHECK_FALSE(fs::exists(folder / "s.opscope-wal"));
    CHECK_FALSE(fs::exists(folder / "s.opscope-shm"));
    CHECK(readSession(file).runs.at(0)->passes.size() == run.passes.size());
  }
  CHECK(withPasses > kTimes / 2);
}

TEST_CASE("a recording without records that is killed says what it has no numbers for") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  Puppet puppet(file, "none");
  for (int i = 0; i < 4; ++i) REQUIRE_THAT(puppet.line(), ContainsSubstring("kept"));
  puppet.kill();
  const Session session = readSession(file);
  const Run& run = *session.runs.at(0);
  REQUIRE(run.passes.size() >= 4);
  CHECK(run.passes[0]->kept == RecordsKept::None);
  CHECK(run.passes[0]->samples.empty());
  CHECK(figuresOf(*run.passes[0]).busy.n > 0);
  CHECK(figuresOf(*run.passes[0]).busy.median > 0);
  CHECK_FALSE(run.implementations.at(0).hasNumber());
  CHECK_THAT(run.note, ContainsSubstring("no numbers over all passes"));
}

namespace {

// A small file system of its own; absent where none can be mounted.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& place) : place_(place) {
    fs::create_directories(place);
    mounted_ = mount("tmpfs", place.c_str(), "tmpfs", 0, "size=2m") == 0;
    why_ = mounted_ ? "" : std::strerror(errno);
  }
  ~SmallDisk() {
    if (mounted_) umount(place_.c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }
  const std::string& why() const { return why_; }

 private:
  fs::path place_;
  bool mounted_ = false;
  std::string why_;
};

// Feeds passes of the synthetic run to a recorder until it cannot write one; returns how many it could.
std::size_t recordUntilFull(Recorder& recorder, Run& run) {
  const auto pattern = run.passes.at(0);
  run.passes.clear();
  run.controls.clear();
  run.findings.clear();
  recorder.onEvent(JobStarted{std::make_shared<const Run>(run)});
  recorder.onEvent(JobPrepared{std::make_shared<const Run>(run)});
  while (!recorder.failure() && run.passes.size() < 100'000) {
    auto pass = std::make_shared<Pass>(*pattern);
    pass->pass = static_cast<std::uint32_t>(run.passes.size());
    for (int i = 0; i < 200; ++i) pass->telemetry.push_back({i, 1980, 2619, 38, 132'500, 4});
    run.passes.push_back(pass);
    recorder.onEvent(PassFinished{run.passes.back()});
  }
  REQUIRE(recorder.failure());
  CHECK(recorder.failure()->code == ErrorCode::CannotWrite);
  CHECK_THAT(recorder.failure()->message, ContainsSubstring("Cannot write the session"));
  CHECK_THAT(recorder.failure()->remedy, ContainsSubstring("disk is full"));
  return run.passes.size() - 1;
}

void checkHasPasses(const fs::path& file, std::size_t passes) {
  const Session session = readSession(file);
  REQUIRE(session.runs.size() == 1);
  CHECK(session.runs[0]->passes.size() == passes);
  CHECK(session.runs[0]->cancelled);
}

}  // namespace

TEST_CASE("a full disk is said, and leaves a readable file with the passes before") {
  const TemporaryFolder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) SKIP("no small file system can be mounted here: " << disk.why());
  const fs::path file = folder / "disk" / "s.opscope";
  std::size_t passes = 0;
  {
    SessionWriter writer(file);
    Recorder recorder(writer);
    Run run = syntheticRun();
    passes = recordUntilFull(recorder, run);
    CHECK(passes > 2);
    CHECK_THROWS_AS(recorder.finish(run), CannotWrite);
    try {
      writer.close();
    } catch (const CannotWrite& error) {
      CHECK_THAT(error.info().remedy, ContainsSubstring("disk is full"));
    }
  }
  checkHasPasses(file, passes);
  // And where there is room it becomes one plain file again.
  for (const char* suffix : {"", "-wal"})
    if (fs::exists(file.string() + suffix))
      fs::copy_file(file.string() + suffix, (folder / "copy.opscope").string() + suffix);
  SessionWriter(folder / "copy.opscope").close();
  CHECK_FALSE(fs::exists(folder / "copy.opscope-wal"));
  checkHasPasses(folder / "copy.opscope", passes);
}

namespace {

// No file of this process, and of those it starts, may become larger.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

}  // namespace

TEST_CASE("a file that may not grow is a full disk") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  std::size_t passes = 0;
  {
    SessionWriter writer(file);
    Recorder recorder(writer);
    Run run = syntheticRun();
    const FileSizeLimit limit(rlim_t{1} << 20);
    passes = recordUntilFull(recorder, run);
    CHECK(passes > 2);
    CHECK_THROWS_AS(recorder.finish(run), CannotWrite);
    writer.close();  // what was written fits
  }
  CHECK_FALSE(fs::exists(folder / "s.opscope-wal"));
  checkHasPasses(file, passes);
}

TEST_CASE("a run that is cut short says what its recorder was told of it") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  const Run run = syntheticRun();
  SessionWriter writer(file);
  Recorder recorder(writer);
  recorder.setNotes({{"asked by", "a test"}});
  recorder.onEvent(JobStarted{std::make_shared<const Run>(run)});
  recorder.onEvent(JobPrepared{std::make_shared<const Run>(run)});
  recorder.onEvent(PassFinished{run.passes[0]});
  const auto begun = readSession(file).runs.at(0);
  CHECK(begun->environment.at("asked by") == "a test");
  CHECK(begun->environment.size() == run.environment.size() + 1);
  CHECK(begun->cancelled);
}

TEST_CASE("a recorder keeps what the engine ends with, whatever came before") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  const Run run = syntheticRun();
  SessionWriter writer(file);
  Recorder recorder(writer);
  CHECK_FALSE(recorder.kept());
  SECTION("nothing") {}
  SECTION("its passes, one by one") {
    recorder.onEvent(JobStarted{std::make_shared<const Run>(run)});
    recorder.onEvent(JobPrepared{std::make_shared<const Run>(run)});
    for (const auto& pass : run.passes) recorder.onEvent(PassFinished{pass});
    CHECK(readSession(file).runs.at(0)->passes.size() == run.passes.size());
  }
  SECTION("passes of a block that was measured again") {
    recorder.onEvent(JobStarted{std::make_shared<const Run>(run)});
    recorder.onEvent(JobPrepared{std::make_shared<const Run>(run)});
    recorder.onEvent(PassFinished{run.passes[0]});
    recorder.onEvent(BlockRestarted{run.passes[0]->block});
    CHECK(readSession(file).runs.at(0)->passes.empty());
    for (const auto& pass : run.passes) recorder.onEvent(PassFinished{pass});
  }
  SECTION("passes that the end does not know") {
    recorder.onEvent(JobStarted{std::make_shared<const Run>(run)});
    recorder.onEvent(JobPrepared{std::make_shared<const Run>(run)});
    recorder.onEvent(PassFinished{std::make_shared<Pass>(*run.passes[0])});
  }
  recorder.finish(run);
  CHECK(recorder.kept());
  writer.close();
  const Session session = readSession(file);
  REQUIRE(session.runs.size() == 1);
  CHECK(dump(*session.runs[0]) == dump(run));
  sqlite::Database db(file, sqlite::Database::Mode::ReadOnly);
  CHECK(db.integer("SELECT count(*) FROM pass") == 4);
  CHECK(db.integer("SELECT count(*) FROM sample WHERE pass_id NOT IN (SELECT id FROM pass)") == 0);
}

TEST_CASE("a session on a file system that cannot be written is read, and says so") {
  const TemporaryFolder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) SKIP("no small file system can be mounted here: " << disk.why());
  const fs::path file = folder / "disk" / "s.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  REQUIRE(mount("tmpfs", (folder / "disk").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=2m") == 0);
  const Session session = readSession(file);
  CHECK(session.readOnly);
  CHECK(dump(*session.runs.at(0)) == dump(syntheticRun()));
  CHECK_THROWS_AS(SessionWriter(file), CannotWrite);
}
