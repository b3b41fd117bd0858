// SPDX-License-Identifier: Apache-2.0
#include "session/session_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/error.h"
#include "session/schema.h"
#include "session/text_file.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kHeaderBytes = 100;
using Header = std::array<unsigned char, kHeaderBytes>;

std::int32_t bigEndian(const Header& header, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | header[at + i];
  return static_cast<std::int32_t>(value);
}

[[noreturn]] void foreign(const fs::path& file, std::string_view what) {
  throw CannotRead(fmt::format("{} is not an Opscope session: {}", file.string(), what),
                   "Open a file that Opscope saved (*.opscope).");
}

void requireVersion(const fs::path& file, std::int64_t version) {
  if (version > kSessionVersion)
    throw CannotRead(fmt::format("{} was written by a newer Opscope: it has session format {}, this program "
                                 "reads up to {}",
                                 file.string(), version, kSessionVersion),
                     "Open it with that version, or update Opscope.");
  if (version < 1)
    throw CannotRead(fmt::format("{} is damaged: it says nothing of its session format", file.string()));
}

Header readHeader(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found)
    throw CannotRead(fmt::format("There is no file {}", file.string()), "Check its name and folder.");
  if (fs::is_directory(status)) foreign(file, "it is a folder");
  if (error && status.type() == fs::file_type::none)
    throw CannotRead(fmt::format("Cannot read {}: {}", file.string(), error.message()));
  if (!fs::is_regular_file(status)) foreign(file, "it is not a regular file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw CannotRead(fmt::format("Cannot read {}: {}", file.string(), std::strerror(errno)),
                     "Check the permissions of the file.");
  Header header{};
  in.read(reinterpret_cast<char*>(header.data()), static_cast<std::streamsize>(header.size()));
  if (in.gcount() == 0) foreign(file, "it is empty");
  if (in.gcount() < static_cast<std::streamsize>(header.size()) ||
      std::memcmp(header.data(), "SQLite format 3", 16) != 0)
    foreign(file, "it is not a SQLite file");
  return header;
}

// SQLite reads what is missing of a last page as zeros. The size in the header holds where the two counters
// agree, which they do for whatever SQLite wrote in this century.
void requireWhole(const fs::path& file, const Header& header) {
  const auto part = [&header](std::size_t at) { return static_cast<std::uint32_t>(bigEndian(header, at)); };
  if (part(24) != part(92)) return;
  const std::uint32_t stored = part(16) >> 16;
  const std::uintmax_t pageBytes = stored == 1 ? 65'536 : stored;  // the largest does not fit
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (!error && size < part(28) * pageBytes)
    throw CannotRead(fmt::format("{} is damaged: its end is missing, it has {} of {} bytes", file.string(),
                                 size, part(28) * pageBytes),
                     "Copy it again, or measure again.");
}

fs::path besides(const fs::path& file, const char* suffix) {
  fs::path path = file;
  path += suffix;
  return path;
}

bool isWritable(const fs::path& path) {
  return access(path.c_str(), W_OK) == 0;
}

}  // namespace

void requireSessionFile(const fs::path& file) {
  const Header header = readHeader(file);
  if (bigEndian(header, 68) != kSessionApplicationId) foreign(file, "it is the database of another program");
  requireVersion(file, bigEndian(header, 60));
}

void requireReplaceable(const fs::path& file) {
  try {
    const Header header = readHeader(file);
    if (bigEndian(header, 68) != kSessionApplicationId)
      foreign(file, "it is the database of another program");
  } catch (const CannotRead& error) {
    throw CannotWrite(fmt::format("Will not replace a file that is no session. {}", error.info().message),
                      "Choose another name for the session.");
  }
}

void requireSessionSchema(sqlite::Database& database, const fs::path& file) {
  if (database.integer("PRAGMA application_id") != kSessionApplicationId)
    foreign(file, "it is the database of another program");
  requireVersion(file, database.integer("PRAGMA user_version"));
}

bool canWriteSession(const fs::path& file) {
  return isWritable(file) && isWritable(folderOf(file));
}

sqlite::Database openSessionForReading(const fs::path& file) {
  const Header header = readHeader(file);
  // A journal holds what is not yet in the file: a writer is at work, or died. Reading past it would show an
  // old session as if it were the whole one.
  std::error_code error;
  bool journal = false;
  bool journalHasData = false;
  for (const char* suffix : {"-wal", "-journal"}) {
    const fs::path path = besides(file, suffix);
    if (!fs::exists(path, error)) continue;
    journal = true;
    journalHasData = journalHasData || fs::file_size(path, error) > 0;
  }
  const bool writable = canWriteSession(file);
  if (!journal) {
    requireSessionFile(file);
    requireWhole(file, header);
    // 2 in the header's write version is WAL, which wants to put files beside the session even to read it.
    const bool wal = header[18] == 2;
    return {file, wal || !writable ? sqlite::Database::Mode::Immutable : sqlite::Database::Mode::ReadOnly};
  }
  if (writable) return {file, sqlite::Database::Mode::ReadWrite};
  if (journalHasData)
    throw CannotRead(fmt::format("{} was not closed properly, and its folder cannot be written, which is "
                                 "needed to recover it",
                                 file.string()),
                     "Copy the file, with the -wal or -journal file beside it, to a folder of your own.");
  return {file, sqlite::Database::Mode::Immutable};
}

}  // namespace opscope
