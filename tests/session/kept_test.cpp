// SPDX-License-Identifier: Apache-2.0
#include "session/kept.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "session/export.h"
#include "session/merge.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

Run readBack(const fs::path& file) {
  return *readSession(file).runs.at(0);
}

fs::path written(const TemporaryFolder& folder, const Run& run, RecordsKept kept) {
  const fs::path file = folder / (std::string(nameOf(kept)) + ".opscope");
  SessionWriter writer(file, kept);
  writer.addRun(run);
  writer.close();
  return file;
}

bool same(const Summary& a, const Summary& b) {
  return a.n == b.n && a.median == b.median && a.p10 == b.p10 && a.p90 == b.p90 && a.min == b.min &&
         a.max == b.max && a.iqr == b.iqr;
}

std::int64_t rowsIn(const fs::path& file, const std::string& table) {
  sqlite::Database db(file, sqlite::Database::Mode::ReadOnly);
  return db.integer("SELECT count(*) FROM " + table);
}

}  // namespace

TEST_CASE("each level keeps what it says, and the numbers in every one") {
  const TemporaryFolder folder;
  const Run run = syntheticRun();
  CHECK(dump(readBack(written(folder, run, RecordsKept::All))) == dump(run));
  for (const RecordsKept kept : {RecordsKept::Summary, RecordsKept::None}) {
    const fs::path file = written(folder, run, kept);
    const Run less = readBack(file);
    INFO(nameOf(kept));
    CHECK(keptOf(less) == kept);
    CHECK(same(less.implementations.at(0).busy, run.implementations.at(0).busy));
    CHECK(less.implementations.at(0).gaps.size() == run.implementations.at(0).gaps.size());
    CHECK(less.implementations.at(1).failure->code == ErrorCode::RecordsLost);
    CHECK(less.findings.size() == run.findings.size());
    CHECK(less.passes.size() == run.passes.size());
    for (const char* table : {"kernel", "memop", "launch", "overhead", "external_id", "gap", "shape", "ping"})
      CHECK(rowsIn(file, table) == 0);
    CHECK((rowsIn(file, "sample") > 0) == (kept == RecordsKept::Summary));
    CHECK((rowsIn(file, "iteration") > 0) == (kept == RecordsKept::Summary));
    CHECK(less.passes[0]->samples.size() == (kept == RecordsKept::Summary ? 2 : 0));
    CHECK(same(figuresOf(*less.passes[0]).busy, figuresOf(*run.passes[0]).busy));
    REQUIRE(figuresOf(*less.passes[0]).gaps.size() == kGapCauses);
    for (std::size_t cause = 0; cause < kGapCauses; ++cause)
      CHECK(figuresOf(*less.passes[0]).gaps[cause].time == figuresOf(*run.passes[0]).gaps[cause].time);
    CHECK(figuresOf(*less.passes[0]).latencyTotal == figuresOf(*run.passes[0]).latencyTotal);
    CHECK(kernelNamesOf(*less.passes[0]) == kernelNamesOf(*run.passes[0]));
    CHECK_FALSE(kernelNamesOf(*less.passes[0]).empty());
    CHECK(summariseTelemetry(*less.passes[0]).readings == summariseTelemetry(*run.passes[0]).readings);
    CHECK(fs::file_size(file) <= fs::file_size(folder / "all.opscope"));
  }
}

TEST_CASE("what was kept is the least, and stays it") {
  const auto pass = syntheticRun().passes[0];
  const auto none = reducedTo(RecordsKept::None, pass);
  CHECK(reducedTo(RecordsKept::All, pass) == pass);
  CHECK(reducedTo(RecordsKept::Summary, none) == none);
  const auto twice = reducedTo(RecordsKept::None, reducedTo(RecordsKept::Summary, pass));
  CHECK(twice->samples.empty());
  CHECK(same(figuresOf(*twice).busy, figuresOf(*none).busy));
  CHECK(figuresOf(*twice).middle == figuresOf(*pass).middle);
  CHECK(kernelNamesOf(*twice) == kernelNamesOf(*pass));
  CHECK(recordsKeptFromName("summary") == RecordsKept::Summary);
  CHECK_FALSE(recordsKeptFromName("some"));
}

TEST_CASE("a session that kept less says so in words, and merges as it is") {
  const TemporaryFolder folder;
  const fs::path none = written(folder, syntheticRun(), RecordsKept::None);
  const Runs runs = readSession(none).runs;
  CHECK_THAT(runsTable(runs), ContainsSubstring("there is no timeline"));
  CHECK_THAT(runsMarkdown(runs), ContainsSubstring("--records none"));
  CHECK_THAT(runsJson(runs), ContainsSubstring("\"records\": \"none\""));
  const auto files = writeCsvSet(folder / "csv", runs);
  CHECK(files.size() == 7);  // with counters, prequeued and methods
  CHECK_FALSE(fs::exists(folder / "csv/samples.csv"));
  CHECK_FALSE(fs::exists(folder / "csv/kernels.csv"));
  CHECK(fs::exists(folder / "csv/passes.csv"));
  Run second = syntheticRun();
  second.startedUnixNs += 1;
  const fs::path all = written(folder, second, RecordsKept::All);
  mergeSessions(folder / "both.opscope", {none, all});
  const Session both = readSession(folder / "both.opscope");
  REQUIRE(both.runs.size() == 2);
  CHECK(keptOf(*both.runs[0]) == RecordsKept::None);
  CHECK(dump(*both.runs[1]) == dump(second));
}

TEST_CASE("a word that no program wrote is damage") {
  const TemporaryFolder folder;
  const fs::path file = written(folder, syntheticRun(), RecordsKept::Summary);
  sqlite::Database(file, sqlite::Database::Mode::ReadWrite).execute("UPDATE kept SET records = 'half'");
  CHECK_THROWS_AS(readSession(file), CannotRead);
}
