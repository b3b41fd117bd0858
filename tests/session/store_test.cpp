// SPDX-License-Identifier: Apache-2.0
#include "session/store.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <bit>
#include <cstring>
#include <vector>

#include "session/sqlite.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> filesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("a run comes back as it was written, bit for bit") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.opscope";
  const Run run = syntheticRun();
  writeSession(file, {std::make_shared<Run>(run)});

  const Session session = readSession(file);
  CHECK(session.file == file);
  CHECK_FALSE(session.readOnly);
  REQUIRE(session.runs.size() == 1);
  CHECK(dump(*session.runs[0]) == dump(run));
}

TEST_CASE("the views of a session leave control passes out") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.opscope";
  const Run run = syntheticRun();
  writeSession(file, {std::make_shared<Run>(run)});
  sqlite::Database db(file, sqlite::Database::Mode::ReadOnly);
  CHECK(db.integer("SELECT count(*) FROM pass") == static_cast<std::int64_t>(run.passes.size()) + 1);
  CHECK(db.integer("SELECT count(*) FROM sample") == 6);
  CHECK(db.integer("SELECT count(*) FROM samples") == 4);  // two passes that count, of two iterations
}

TEST_CASE("an empty run and an empty pass come back too") {
  const TemporaryFolder folder;
  auto run = std::make_shared<Run>();
  run->implementations.resize(1);
  run->passes.push_back(std::make_shared<Pass>());
  writeSession(folder / "empty.opscope", {run, std::make_shared<Run>()});
  const Session session = readSession(folder / "empty.opscope");
  REQUIRE(session.runs.size() == 2);
  CHECK(dump(*session.runs[0]) == dump(*run));
  CHECK(dump(*session.runs[1]) == dump(Run{}));
}

TEST_CASE("what an op marked is kept, and a file without its table has none") {
  const TemporaryFolder folder;
  const fs::path file = folder / "marked.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  {
    sqlite::Database db(file, sqlite::Database::Mode::ReadWrite);
    // Of each pass: a whole range in iteration 0, one without an end, one without a beginning, a mark.
    CHECK(db.integer("SELECT count(*) FROM host_range WHERE start_ns IS NULL") * 4 ==
          db.integer("SELECT count(*) FROM host_range"));
    CHECK(db.integer("SELECT count(*) FROM host_range WHERE iteration = 0") ==
          db.integer("SELECT count(*) FROM host_range"));
    CHECK(db.integer("SELECT end_ns - start_ns FROM host_range WHERE kind = 'nested' AND start_ns NOTNULL") ==
          2'800);
    db.execute("DROP TABLE host_range");
  }
  const Session session = readSession(file);
  REQUIRE(session.runs.size() == 1);
  CHECK(session.runs[0]->passes[0]->trace.ranges.empty());
  CHECK_FALSE(session.runs[0]->passes[0]->trace.kernels.empty());
  SessionWriter writer(file);
  writer.addRun(syntheticRun());
  writer.close();
  CHECK(readSession(file).runs[1]->passes[0]->trace.ranges.size() == 4);
}

TEST_CASE("a closed session is one plain file") {
  const TemporaryFolder folder;
  SessionWriter writer(folder / "s.opscope");
  writer.addRun(syntheticRun());
  CHECK(fs::exists(folder / "s.opscope-wal"));
  writer.close();
  CHECK(filesIn(folder.path()) == std::vector<std::string>{"s.opscope"});
  writer.close();  // a second time does nothing
  CHECK_THROWS_AS(writer.addRun(syntheticRun()), CannotWrite);
}

TEST_CASE("runs are added to a session that exists") {
  const TemporaryFolder folder;
  Run second = syntheticRun();
  second.op = "gemm";
  for (const Run& run : {syntheticRun(), second}) {
    SessionWriter writer(folder / "s.opscope");
    writer.addRun(run);
    writer.close();
  }
  const Session session = readSession(folder / "s.opscope");
  REQUIRE(session.runs.size() == 2);
  CHECK(dump(*session.runs[0]) == dump(syntheticRun()));
  CHECK(dump(*session.runs[1]) == dump(second));
}

TEST_CASE("a run is taken out by its row, unless that holds another by now") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  Run second = syntheticRun();
  second.op = "gemm";
  SessionWriter writer(file);
  writer.addRun(syntheticRun());
  writer.addRun(second);
  const Session session = readSession(file);
  REQUIRE(session.rows.size() == 2);
  writer.removeRun(session.rows[1], *session.runs[1]);
  CHECK(readSession(file).rows == std::vector<std::int64_t>{session.rows[0]});
  Run third = syntheticRun();
  third.startedUnixNs += 1;
  REQUIRE(writer.addRun(third) == session.rows[1]);  // the number is free again
  writer.removeRun(session.rows[1], *session.runs[1]);
  writer.removeRun(session.rows[0], third);
  writer.close();
  CHECK(readSession(file).rows == session.rows);
}

TEST_CASE("a session can be read while it is written, and after its writer died") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  const Run run = syntheticRun();
  SessionWriter writer(file);
  const std::int64_t id = writer.beginRun(run);
  writer.addPass(id, run.passes[0]);

  SECTION("by another connection") {
    const Session session = readSession(file);
    REQUIRE(session.runs.size() == 1);
    REQUIRE(session.runs[0]->passes.size() == 1);
    CHECK(session.runs[0]->cancelled);
    CHECK(session.runs[0]->note ==
          run.note + " The program ended before this run did: these are the passes it had finished.");
    CHECK(session.runs[0]->implementations[0].busy.median == 12'000);
  }
  SECTION("from what a crash leaves: the file and its journal") {
    const fs::path copy = folder / "crashed.opscope";
    fs::copy_file(file, copy);
    fs::copy_file(folder / "s.opscope-wal", folder / "crashed.opscope-wal");
    const Session session = readSession(copy);
    REQUIRE(session.runs.size() == 1);
    CHECK(session.runs[0]->passes.size() == 1);
    CHECK(session.runs[0]->implementations[0].busy.n == 2);
  }
}

TEST_CASE("replacing a session keeps the old one until the new one is whole") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  Run broken = syntheticRun();
  auto pass = std::make_shared<Pass>(*broken.passes[0]);
  pass->gaps[0].cause = GapCause::Queued;
  pass->trace.memops[0].kind = static_cast<MemopKind>(200);  // no such kind: writing it fails half-way
  broken.passes[0] = pass;
  CHECK_THROWS(writeSession(file, {std::make_shared<Run>(broken)}));
  CHECK(filesIn(folder.path()) == std::vector<std::string>{"s.opscope"});
  CHECK(dump(*readSession(file).runs.at(0)) == dump(syntheticRun()));

  writeSession(file, {});
  CHECK(readSession(file).runs.empty());
}

TEST_CASE("names with a meaning to SQLite or to URIs are file names like any other") {
  const TemporaryFolder folder;
  for (const char* name :
       {":memory:", "file:x?mode=memory", "100% #1?.opscope", "mit Leerzeichen und Umlaut \xC3\xA4"}) {
    const fs::path file = folder / name;
    writeSession(file, {std::make_shared<Run>(syntheticRun())});
    REQUIRE(fs::exists(file));
    CHECK(readSession(file).runs.size() == 1);
  }
}

TEST_CASE("anyone can query a session") {
  const TemporaryFolder folder;
  writeSession(folder / "s.opscope", {std::make_shared<Run>(syntheticRun())});
  sqlite::Database db(folder / "s.opscope", sqlite::Database::Mode::ReadOnly);
  // Each of the three passes and the control has 4 kernels, 2 in each of its 2 iterations; the control and
  // the failed implementation's are not in the view.
  CHECK(db.integer("SELECT count(*) FROM kernel") == 16);
  CHECK(db.integer("SELECT count(*) FROM kernel WHERE iteration = 1 AND external_id = 1") == 8);
  CHECK(db.integer("SELECT count(*) FROM kernels") == 8);
  CHECK(db.integer("SELECT sum(duration_ns) FROM kernels WHERE kernel = 'scale'") == 4 * 8000);
  CHECK(db.integer("SELECT count(*) FROM samples") == 4);
  CHECK(db.integer("SELECT sum(gap_ns) FROM samples") == 4 * 3000);
  CHECK(db.integer("SELECT sum(length_ns - copy_ns - host_ns - instrument_ns - device_ns) FROM gap") == 0);
  CHECK(db.text("PRAGMA integrity_check") == "ok");
}

TEST_CASE("a million kernels come back as they were written") {
#ifdef OPSCOPE_SANITIZED
  SKIP("a million records take up to a minute under a sanitizer, and show it nothing that a few do not");
#endif
  const TemporaryFolder folder;
  Run run;
  run.implementations.resize(1);
  auto pass = std::make_shared<Pass>();
  pass->trace.names.intern("k");
  pass->trace.internShape({1, 1, 1, 1, 1, 1, 0, 0, 0});
  constexpr std::uint32_t kKernels = 1'000'000;
  for (std::uint32_t i = 0; i < kKernels; ++i) {
    const Ns at = 1'700'000'000'000'000'000 + i * 1000;
    pass->trace.kernels.push_back({at, at + 700, at - 100, 0, i + 1, 0, 0, 7, 0, 0});
    pass->trace.launches.push_back({at - 200, at - 100, i + 1, 1, 0, LaunchKind::Kernel});
    pass->trace.externalIds.push_back({i / 5000, i + 1});
  }
  run.passes.push_back(pass);
  writeSession(folder / "big.opscope", {std::make_shared<Run>(run)});
  const Session session = readSession(folder / "big.opscope");
  REQUIRE(session.runs.at(0)->passes.at(0)->trace.kernels.size() == kKernels);
  CHECK(std::memcmp(session.runs[0]->passes[0]->trace.kernels.data(), pass->trace.kernels.data(),
                    kKernels * sizeof(KernelRecord)) == 0);
}

TEST_CASE("a writer that dies before the first pass of a run with findings leaves a readable file") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  SessionWriter writer(file);
  writer.beginRun(syntheticRun());
  const Session session = readSession(file);
  REQUIRE(session.runs.size() == 1);
  CHECK(session.runs[0]->cancelled);
  CHECK(session.runs[0]->passes.empty());
}
