// SPDX-License-Identifier: Apache-2.0
#include "session/vacuum.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

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
