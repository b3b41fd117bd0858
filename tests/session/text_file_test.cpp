// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "session/export.h"
#include "session/synthetic.h"
#include "session/text_file.h"

using namespace opscope;
using namespace opscope::test;
namespace fs = std::filesystem;

TEST_CASE("a text file is written whole, and replaces what was there") {
  const TemporaryFolder folder;
  writeTextFile(folder / "a.csv", "one\r\n");
  CHECK(readText(folder / "a.csv") == "one\r\n");
  writeTextFile(folder / "a.csv", "two");
  CHECK(readText(folder / "a.csv") == "two");
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a place that cannot be written is CannotWrite") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(writeTextFile(folder.path(), "x"), CannotWrite);
  CHECK_THROWS_AS(writeTextFile(folder / "no" / "a.csv", "x"), CannotWrite);
  CHECK_THROWS_AS(writeTextFile(fs::path(), "x"), CannotWrite);
  CHECK_THROWS_AS(checkWritable(folder.path()), CannotWrite);
}

TEST_CASE("a full disk is CannotWrite") {
  if (!fs::exists("/dev/full")) SKIP("this system has no /dev/full");
  CHECK_NOTHROW(checkWritable("/dev/full"));
  CHECK_THROWS_AS(writeTextFile("/dev/full", "x"), CannotWrite);
}

TEST_CASE("a set of CSV files needs a folder") {
  const TemporaryFolder folder;
  const Runs runs{std::make_shared<Run>(syntheticRun())};
  const auto files = writeCsvSet(folder / "new" / "set", runs);
  REQUIRE(files.size() == 10);
  for (const fs::path& file : files) CHECK(fs::file_size(file) > 0);
  writeText(folder / "file", "x");
  CHECK_THROWS_AS(writeCsvSet(folder / "file", runs), CannotWrite);
  CHECK(readText(folder / "file") == "x");
}
