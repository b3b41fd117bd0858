// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <iterator>

#include "base/error.h"
#include "session/merge.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const Run> runNumber(std::int64_t number) {
  Run run = syntheticRun();
  run.startedUnixNs += number;
  return std::make_shared<const Run>(std::move(run));
}

std::size_t howManyFilesIn(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("sessions are joined in their order, exactly, and a run that two have is there once") {
  const TemporaryFolder folder;
  writeSession(folder / "1.opscope", {runNumber(1), runNumber(2)});
  writeSession(folder / "2.opscope", {runNumber(2), runNumber(3)});
  const MergedSessions merged =
      mergeSessions(folder / "all.opscope", {folder / "1.opscope", folder / "2.opscope"});
  CHECK(merged.runs == 3);
  CHECK(merged.duplicates == 1);
  const Session all = readSession(folder / "all.opscope");
  REQUIRE(all.runs.size() == 3);
  for (std::int64_t i = 0; i < 3; ++i)
    CHECK(dump(*all.runs[static_cast<std::size_t>(i)]) == dump(*runNumber(i + 1)));
  CHECK(howManyFilesIn(folder) == 3);  // nothing is left beside it
}

TEST_CASE("the output may be one of the inputs; another session is not replaced") {
  const TemporaryFolder folder;
  const fs::path one = folder / "1.opscope";
  const fs::path two = folder / "2.opscope";
  writeSession(one, {runNumber(1)});
  writeSession(two, {runNumber(2)});
  CHECK(mergeSessions(one, {one, two}).runs == 2);
  CHECK(readSession(one).runs.size() == 2);
  CHECK(mergeSessions(one, {one, one}).duplicates == 2);
  const std::string before = readText(two);
  CHECK_THROWS_AS(mergeSessions(two, {one}), CannotWrite);
  CHECK(readText(two) == before);
}

TEST_CASE("what is no session, or of another format, is said by name and leaves nothing behind") {
  const TemporaryFolder folder;
  const fs::path good = folder / "good.opscope";
  const fs::path bad = folder / "bad.opscope";
  const fs::path out = folder / "out.opscope";
  writeSession(good, {runNumber(1)});
  writeText(bad, "op,workload,dtype\n");
  const auto failure = [&](const std::vector<fs::path>& inputs) {
    try {
      mergeSessions(out, inputs);
    } catch (const CannotRead& error) {
      return std::string(error.what());
    }
    return std::string("merged");
  };
  CHECK_THAT(failure({good, bad}), ContainsSubstring("bad.opscope is not an Opscope session"));
  CHECK_THAT(failure({good, folder / "none.opscope"}), ContainsSubstring("There is no file"));
  fs::copy_file(good, bad, fs::copy_options::overwrite_existing);
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(bad.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, "PRAGMA user_version = 99", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  CHECK_THAT(failure({good, bad}), ContainsSubstring("newer Opscope") && ContainsSubstring("99"));
  CHECK_FALSE(fs::exists(out));
  CHECK(howManyFilesIn(folder) == 2);
  CHECK_THROWS_AS(mergeSessions("/no/such/folder/out.opscope", {good}), CannotWrite);
}
