// SPDX-License-Identifier: Apache-2.0
//
// The queries that docs/session-format.md shows, taken from the page itself.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::StartsWith;

namespace {

std::vector<std::string> queriesOf(const std::string& page) {
  std::vector<std::string> queries;
  const std::string fence = "```sql\n";
  for (auto at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    const auto end = page.find("```", at);
    queries.push_back(page.substr(at, end - at));
    at = end;
  }
  return queries;
}

using Rows = std::vector<std::vector<std::string>>;

Rows ask(sqlite::Database& database, const std::string& sql) {
  Rows rows;
  sqlite::Statement statement = database.prepare(sql);
  const int columns = statement.columns();
  while (statement.step()) {
    rows.emplace_back();
    for (int c = 0; c < columns; ++c) rows.back().push_back(statement.text(c));
  }
  return rows;
}

}  // namespace

TEST_CASE("the queries of the page about the format answer what they say") {
  const TemporaryFolder folder;
  const Run run = syntheticRun();
  writeSession(folder / "s.opscope", {std::make_shared<Run>(run)});
  sqlite::Database database(folder / "s.opscope", sqlite::Database::Mode::ReadOnly);
  const auto queries = queriesOf(readText(OPSCOPE_SESSION_FORMAT_PAGE));
  REQUIRE(queries.size() >= 5);
  std::vector<Rows> answers;
  for (const std::string& query : queries) {
    INFO(query);
    answers.push_back(ask(database, query));
  }

  // What was measured, and how it ended: 12 and 14 us in two passes of two, and a failure.
  REQUIRE(answers[0].size() == 2);
  CHECK(answers[0][0].back() == "13.0 us busy");
  CHECK(answers[0][1].back() == "RecordsLost");

  // Where the time goes, by kernel: two passes of two iterations, 8 and 4 us each time.
  REQUIRE(answers[1].size() == 2);
  CHECK(answers[1][0] ==
        std::vector<std::string>{run.op, run.implementations[0].name, "scale", "4", "32000", "66.7"});
  CHECK_THAT(answers[1][1][2], StartsWith("rms_norm<float, 4>"));
  CHECK(answers[1][1][4] == "16000");

  // Why the device was idle: one gap of 3 us for each iteration, the host late in the first.
  REQUIRE(answers[2].size() == 2);
  std::int64_t gaps = 0, ns = 0;
  for (const auto& row : answers[2]) {
    gaps += std::stoll(row[3]);
    ns += std::stoll(row[4]);
  }
  CHECK(gaps == 4);
  CHECK(ns == 4 * 3'000);

  // Drift: a row for each pass that counts, in their order, with its clock.
  REQUIRE(answers[3].size() == 2);
  CHECK(answers[3][0][4] != answers[3][1][4]);
  CHECK(answers[3][0][5] == "1867.5");  // of 1980 and 1755 MHz

  // What no iteration owns: nothing in these passes.
  CHECK(answers[4].empty());
}

TEST_CASE("the query about kernels without an owner finds one, and who launched it") {
  const TemporaryFolder folder;
  Run run = syntheticRun();
  auto pass = std::make_shared<Pass>(*run.passes[0]);
  std::erase_if(pass->trace.externalIds, [](const ExternalIdRecord& id) { return id.correlationId == 101; });
  run.passes[0] = pass;
  writeSession(folder / "s.opscope", {std::make_shared<Run>(run)});
  sqlite::Database database(folder / "s.opscope", sqlite::Database::Mode::ReadOnly);
  const Rows rows = ask(database, queriesOf(readText(OPSCOPE_SESSION_FORMAT_PAGE)).at(4));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0] == std::vector<std::string>{"1", "scale", "77", "1"});
}
