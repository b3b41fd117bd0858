// SPDX-License-Identifier: Apache-2.0
#include "session/vacuum.h"

#include <malloc.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>
#include <optional>

#include "session/kept.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
namespace fs = std::filesystem;

namespace {

std::size_t howManyIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// One of many passes: the tables alone take more than a small run does.
Run longRun() {
  Run run = syntheticRun();
  for (std::uint32_t p = 0; p < 200; ++p) {
    auto pass = std::make_shared<Pass>(*run.passes[0]);
    pass->pass = 100 + p;
    run.passes.push_back(std::move(pass));
  }
  return run;
}

}  // namespace

TEST_CASE("vacuuming takes out what is unused and changes nothing else") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  {
    SessionWriter writer(file);
    const std::int64_t id = writer.addRun(longRun());
    writer.addRun(syntheticRun());
    writer.removeRun(id);
    writer.close();
  }
  const Vacuumed sizes = vacuumSession(file, RecordsKept::All);
  CHECK(sizes.after < sizes.before);
  CHECK(sizes.after == fs::file_size(file));
  const Session session = readSession(file);
  REQUIRE(session.runs.size() == 1);
  CHECK(dump(*session.runs[0]) == dump(syntheticRun()));
  CHECK(howManyIn(folder.path()) == 1);
  CHECK(vacuumSession(file, RecordsKept::All).after == sizes.after);
}

TEST_CASE("vacuuming can drop records, and the numbers stay") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  const Run run = longRun();
  writeSession(file, {std::make_shared<Run>(run)});
  const std::uintmax_t all = vacuumSession(file, RecordsKept::All).after;
  const Vacuumed summary = vacuumSession(file, RecordsKept::Summary);
  CHECK(summary.before == all);
  CHECK(summary.after < all);
  const Run less = *readSession(file).runs.at(0);
  CHECK(keptOf(less) == RecordsKept::Summary);
  CHECK(less.implementations[0].busy.median == run.implementations[0].busy.median);
  CHECK(less.passes.size() == run.passes.size());
  CHECK(vacuumSession(file, RecordsKept::None).after < summary.after);
  // What is gone does not come back.
  vacuumSession(file, RecordsKept::All);
  CHECK(keptOf(*readSession(file).runs.at(0)) == RecordsKept::None);
}

TEST_CASE("vacuuming folds in what a writer that died left") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope", copy = folder / "copy.opscope";
  SessionWriter writer(file);
  const Run run = syntheticRun();
  writer.addPass(writer.beginRun(run), run.passes[0]);
  fs::copy_file(file, copy);
  fs::copy_file(folder / "s.opscope-wal", folder / "copy.opscope-wal");
  vacuumSession(copy, RecordsKept::All);
  CHECK_FALSE(fs::exists(folder / "copy.opscope-wal"));
  CHECK(readSession(copy).runs.at(0)->passes.size() == 1);
  // While somebody writes, what that adds would be lost.
  CHECK_THROWS_AS(vacuumSession(file, RecordsKept::All), CannotWrite);
  writer.addPass(1, run.passes[1]);
  writer.close();
  CHECK(readSession(file).runs.at(0)->passes.size() == 2);
}

TEST_CASE("a run that was cut short keeps the numbers of its passes when their readings go") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  const Run run = longRun();
  {
    SessionWriter writer(file);
    const std::int64_t id = writer.beginRun(run);
    for (const auto& pass : run.passes) writer.addPass(id, pass);
    writer.close();
  }
  const Run before = *readSession(file).runs.at(0);
  REQUIRE(before.cancelled);
  REQUIRE(before.implementations[0].hasNumber());
  vacuumSession(file, RecordsKept::None);
  const Run after = *readSession(file).runs.at(0);
  CHECK(keptOf(after) == RecordsKept::None);
  CHECK(after.cancelled);
  CHECK(after.note == before.note);
  CHECK(after.implementations[0].busy.n == before.implementations[0].busy.n);
  CHECK(after.implementations[0].busy.median == before.implementations[0].busy.median);
}

TEST_CASE("vacuuming says the same of a session as writing less of it does") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  Run second = syntheticRun();
  second.op = "gemm";
  for (const RecordsKept keep : {RecordsKept::Summary, RecordsKept::None}) {
    writeSession(file, {std::make_shared<Run>(syntheticRun()), std::make_shared<Run>(Run{}),
                        std::make_shared<Run>(second)});
    vacuumSession(file, keep);
    const fs::path less = folder / ("less-" + std::string(nameOf(keep)));
    SessionWriter writer(less, keep);
    for (const Run& run : {syntheticRun(), Run{}, second}) writer.addRun(run);
    writer.close();
    const Session vacuumed = readSession(file), written = readSession(less);
    REQUIRE(vacuumed.runs.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(dump(*vacuumed.runs[i]) == dump(*written.runs[i]));
  }
}

namespace {

std::int64_t memoryInBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::int64_t kilobytes = 0; word == name && status >> kilobytes) return kilobytes << 10;
  return 0;
}

// How much more memory this process held while it did something than before, at most; absent where the kernel
// does not tell.
template <class Work>
std::optional<std::int64_t> memoryTakenBy(Work work) {
  malloc_trim(0);  // what others gave back would be taken for nothing
  std::ofstream forget("/proc/self/clear_refs");
  forget << "5" << std::flush;
  if (!forget) return std::nullopt;
  const std::int64_t before = memoryInBytes("VmRSS:");
  work();
  return memoryInBytes("VmHWM:") - before;
}

std::shared_ptr<const Pass> heavyPass(std::uint32_t iterations) {
  auto pass = std::make_shared<Pass>();
  Trace& trace = pass->trace;
  trace.names.intern("k");
  trace.internShape({1, 1, 1, 1, 1, 1, 0, 0, 0});
  for (std::uint32_t i = 0; i < iterations; ++i) {
    const Ns at = 1'000'000 + Ns{i} * 10'000;
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t call = 4 * i + k + 1;
      trace.kernels.push_back({at + k * 2'000, at + k * 2'000 + 1'000, 0, 0, call, 0, 0, 7, 0, 0});
      trace.launches.push_back({at + k * 100, at + k * 100 + 50, call, 1, 0, LaunchKind::Kernel});
      trace.externalIds.push_back({i, call});
    }
    trace.iterations.push_back({at, at + 500, at + 8'000});
    pass->samples.push_back({.busy = 4'000, .latency = 7'000, .kernels = 4});
  }
  return pass;
}

}  // namespace

TEST_CASE("vacuuming a session of many passes takes no more memory than one of a few") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP("a sanitizer holds back what is freed");
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  SKIP("a sanitizer holds back what is freed");
#endif
#endif
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  constexpr std::size_t kRuns = 8, kPasses = 4, kIterations = 1'500;
  const auto session = [&] {
    Run run;
    run.implementations.resize(1);
    for (std::size_t i = 0; i < kPasses; ++i) run.passes.push_back(heavyPass(kIterations));
    summariseRun(run);
    writeSession(file, std::vector<std::shared_ptr<const Run>>(kRuns, std::make_shared<const Run>(run)));
  };
  constexpr auto kRecords = static_cast<std::int64_t>(
      kRuns * kPasses * kIterations *
      (4 * (sizeof(KernelRecord) + sizeof(LaunchRecord) + sizeof(ExternalIdRecord)) + sizeof(Sample)));
  for (const RecordsKept keep : {RecordsKept::All, RecordsKept::None}) {
    session();
    const auto taken = memoryTakenBy([&] { vacuumSession(file, keep); });
    if (!taken) SKIP("this kernel does not let a process forget how much memory it held");
    INFO(*taken << " bytes, of records " << kRecords);
    CHECK(*taken < kRecords / 2);
  }
}

TEST_CASE("vacuuming leaves alone what it cannot read") {
  const TemporaryFolder folder;
  writeText(folder / "text", "no session");
  CHECK_THROWS_AS(vacuumSession(folder / "text", RecordsKept::All), CannotRead);
  CHECK(readText(folder / "text") == "no session");
  const fs::path file = folder / "s.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  sqlite::Database(file, sqlite::Database::Mode::ReadWrite).execute("DELETE FROM name");
  const auto samples = [&file] {
    return sqlite::Database(file, sqlite::Database::Mode::ReadOnly).integer("SELECT count(*) FROM sample");
  };
  const std::int64_t before = samples();
  CHECK_THROWS_AS(vacuumSession(file, RecordsKept::None), CannotRead);
  CHECK(before > 0);
  CHECK(samples() == before);
  CHECK(howManyIn(folder.path()) == 2);
}
