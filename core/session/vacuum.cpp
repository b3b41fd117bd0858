// SPDX-License-Identifier: Apache-2.0
#include "session/vacuum.h"

#include <fmt/format.h>

#include <system_error>

#include "session/kept.h"
#include "session/session_file.h"
#include "session/store.h"
#include "session/text_file.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

std::uintmax_t bytesOf(const fs::path& file) {
  std::uintmax_t sum = 0;
  for (const char* suffix : {"", "-wal", "-journal"}) {
    std::error_code missing;
    const std::uintmax_t bytes = fs::file_size(file.string() + suffix, missing);
    if (!missing) sum += bytes;
  }
  return sum;
}

void copyCompact(const fs::path& from, const fs::path& to) {
  try {
    sqlite::Database database(from, sqlite::Database::Mode::ReadWrite);
    database.prepare("VACUUM INTO ?").run(std::string_view(to.native()));
  } catch (const sqlite::Failure& failure) {
    throw CannotWrite(
        fmt::format("Cannot write the session {}: {}", from.string(), failure.what()),
        "Look whether the disk is full: there must be room for both until the new one is whole.");
  }
}

}  // namespace

Vacuumed vacuumSession(const fs::path& file, RecordsKept keep) {
  requireSessionFile(file);
  Vacuumed sizes{.before = bytesOf(file), .after = 0};
  // Folds in what a program that died left beside it, and is refused while another one writes: what that adds
  // to the old file would be lost with it.
  SessionWriter(file).close();
  const Session session = readSession(file);  // a damaged one is refused, not copied
  const TemporaryFile temporary(file);
  if (keep == RecordsKept::All) {
    copyCompact(file, temporary.path());
  } else {
    SessionWriter writer(temporary.path(), keep);
    for (const auto& run : session.runs) writer.addRun(*run);
    writer.close();
  }
  temporary.sync();
  sizes.after = bytesOf(temporary.path());
  temporary.replace(file);
  return sizes;
}

}  // namespace opscope
