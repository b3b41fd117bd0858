// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "session/schema.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

fs::path goodSession(const TemporaryFolder& folder) {
  const fs::path file = folder / "good.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  return file;
}

// The sentence with which reading fails; it must name the file.
std::string refusal(const fs::path& file) {
  try {
    readSession(file);
  } catch (const CannotRead& error) {
    CHECK_THAT(error.info().message, ContainsSubstring(file.filename().string()));
    return error.info().message;
  }
  FAIL("was read");
  return {};
}

}  // namespace

TEST_CASE("files that are no session are refused, each with its reason") {
  const TemporaryFolder folder;
  const fs::path file = folder / "x.opscope";

  CHECK_THAT(refusal(file), ContainsSubstring("There is no file"));
  CHECK_THAT(refusal(folder.path()), ContainsSubstring("it is a folder"));

  writeText(file, "");
  CHECK_THAT(refusal(file), ContainsSubstring("it is empty"));
  writeText(file, "short");
  CHECK_THAT(refusal(file), ContainsSubstring("not a SQLite file"));
  writeText(file, std::string(5000, 'x'));
  CHECK_THAT(refusal(file), ContainsSubstring("not a SQLite file"));
  CHECK_THROWS_AS(SessionWriter(file), CannotRead);
  CHECK(readText(file) == std::string(5000, 'x'));

  const fs::path pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(refusal(pipe), ContainsSubstring("not a regular file"));
}

TEST_CASE("another program's database is refused and left alone") {
  const TemporaryFolder folder;
  const fs::path file = folder / "other.sqlite";
  {
    sqlite::Database db(file, sqlite::Database::Mode::Create);
    db.execute("CREATE TABLE kernel (a); INSERT INTO kernel VALUES (1)");
  }
  const std::string before = readText(file);
  CHECK_THAT(refusal(file), ContainsSubstring("another program"));
  CHECK_THROWS_AS(SessionWriter(file), CannotRead);
  CHECK_THROWS_AS(writeSession(file, {}), CannotWrite);
  CHECK(readText(file) == before);
}

TEST_CASE("a session of a newer version is refused, with both versions") {
  const TemporaryFolder folder;
  const fs::path file = goodSession(folder);
  {
    sqlite::Database db(file, sqlite::Database::Mode::ReadWrite);
    db.execute("PRAGMA user_version = 3");
  }
  CHECK_THAT(refusal(file),
             ContainsSubstring("newer") && ContainsSubstring("format 3") && ContainsSubstring("up to 2"));
}

TEST_CASE("a truncated session is refused wherever it was cut") {
  const TemporaryFolder folder;
  const std::string whole = readText(goodSession(folder));
  const fs::path file = folder / "cut.opscope";
  for (std::size_t size = 100; size < whole.size(); size += 4099) {
    writeText(file, whole.substr(0, size));
    CHECK_THROWS_AS(readSession(file), CannotRead);
  }
  writeText(file, whole.substr(0, whole.size() - 1));
  CHECK_THROWS_AS(readSession(file), CannotRead);
}

TEST_CASE("flipped bytes never crash the reader") {
  const TemporaryFolder folder;
  const std::string whole = readText(goodSession(folder));
  const fs::path file = folder / "flipped.opscope";
  int refused = 0;
  int readable = 0;
#ifdef OPSCOPE_SANITIZED
  constexpr std::size_t kStep = 977;  // each takes ten times as long, and the fuzzers go on from here
#else
  constexpr std::size_t kStep = 97;
#endif
  for (std::size_t at = 0; at < whole.size(); at += kStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    writeText(file, damaged);
    try {
      readSession(file);
      ++readable;
    } catch (const CannotRead&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
  CHECK(readable > 0);
}

TEST_CASE("rows that point at nothing are refused: they would be indices") {
  const TemporaryFolder folder;
  const fs::path file = goodSession(folder);
  const char* damage = nullptr;
  SECTION("kernel names") {
    damage = "UPDATE kernel SET name_id = 99";
  }
  SECTION("launch shapes") {
    damage = "UPDATE kernel SET shape_id = -1";
  }
  SECTION("gap ends") {
    damage = "UPDATE gap SET before_kernel = 1000";
  }
  SECTION("gap iterations") {
    damage = "UPDATE gap SET iteration = 7";
  }
  SECTION("a hole in the kernels") {
    damage = "DELETE FROM kernel WHERE idx = 1";
  }
  SECTION("a hole in the samples") {
    damage = "DELETE FROM sample WHERE iteration = 1";
  }
  SECTION("implementations") {
    damage = "UPDATE pass SET implementation = 2";
  }
  SECTION("gap totals") {
    damage = "UPDATE gap_total SET implementation = 5 WHERE implementation = 0";
  }
  SECTION("findings") {
    damage = "UPDATE finding SET pass = 17";
  }
  SECTION("negative counts") {
    damage = "UPDATE pass SET attempts = -1";
  }
  SECTION("names of ranges") {
    damage = "UPDATE host_range SET name_id = 99";
  }
  SECTION("a hole in the ranges") {
    damage = "DELETE FROM host_range WHERE idx = 1";
  }
  SECTION("ranges without an end") {
    damage = "UPDATE host_range SET start_ns = NULL, end_ns = NULL";
  }
  SECTION("kinds of ranges") {
    damage = "UPDATE host_range SET kind = 'round'";
  }
  SECTION("a table") {
    damage = "DROP TABLE external_id";
  }
  {
    sqlite::Database db(file, sqlite::Database::Mode::ReadWrite);
    db.execute(damage);
  }
  refusal(file);
}

TEST_CASE("a session that nobody may read is refused") {
  if (geteuid() == 0) SKIP("root may read everything");
  const TemporaryFolder folder;
  const fs::path file = goodSession(folder);
  fs::permissions(file, fs::perms::none);
  CHECK_THAT(refusal(file), ContainsSubstring("Permission denied"));
}

TEST_CASE("a session in a folder that cannot be written is read, and says so") {
  if (geteuid() == 0) SKIP("root may write everywhere");
  const TemporaryFolder folder;
  fs::create_directory(folder / "ro");
  const fs::path file = folder / "ro" / "s.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  fs::permissions(folder / "ro", fs::perms::owner_read | fs::perms::owner_exec);
  const Session session = readSession(file);
  CHECK(session.readOnly);
  CHECK(session.runs.size() == 1);
  CHECK_THROWS_AS(SessionWriter(file), CannotWrite);
  fs::permissions(folder / "ro", fs::perms::owner_all);
}

TEST_CASE("a place that cannot be written is refused before anything is") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(SessionWriter(folder / "missing" / "s.opscope"), CannotWrite);
  CHECK_THROWS_AS(writeSession(folder / "missing" / "s.opscope", {}), CannotWrite);
  CHECK_THROWS_AS(writeSession(folder.path(), {}), CannotWrite);
  CHECK_THROWS_AS(SessionWriter(fs::path()), CannotWrite);
  writeText(folder / "file", "x");
  CHECK_THROWS_AS(SessionWriter(folder / "file" / "s.opscope"), CannotWrite);
  CHECK_THROWS_AS(writeSession(folder / "file", {}), CannotWrite);  // no session: not replaced
  CHECK(readText(folder / "file") == "x");
}
