// SPDX-License-Identifier: Apache-2.0
#include "session/vacuum.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <system_error>

#include "session/kept.h"
#include "session/session_file.h"
#include "session/session_reader.h"
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

// One pass at a time is in memory, with what the others add up to.
void copyLess(SessionReader& session, const fs::path& to, RecordsKept keep) {
  SessionWriter writer(to, keep);
  for (const std::int64_t row : session.rows()) {
    std::optional<std::int64_t> copy;
    const auto run = session.read(row, [&](const Run& begun, std::shared_ptr<const Pass> pass) {
      if (!copy) copy = writer.beginRun(begun);
      const auto readings = reducedTo(RecordsKept::Summary, std::move(pass));
      writer.addPass(*copy, readings);
      // A run that was cut short gets its numbers here, from all of its readings.
      return begun.cancelled ? readings : reducedTo(RecordsKept::None, readings);
    });
    if (!copy) copy = writer.beginRun(*run);
    writer.finishRun(*copy, *run);
  }
  writer.close();
}

// Reads everything once: a damaged session is refused, not copied.
void requireReadable(SessionReader& session) {
  for (const std::int64_t row : session.rows())
    session.read(row, [](const Run&, std::shared_ptr<const Pass> pass) {
      return reducedTo(RecordsKept::None, std::move(pass));
    });
}

}  // namespace

Vacuumed vacuumSession(const fs::path& file, RecordsKept keep) {
  requireSessionFile(file);
  Vacuumed sizes{.before = bytesOf(file), .after = 0};
  // Folds in what a program that died left beside it, and is refused while another one writes: what that adds
  // to the old file would be lost with it.
  SessionWriter(file).close();
  const TemporaryFile temporary(file);
  {
    SessionReader session(file);
    if (keep == RecordsKept::All) {
      requireReadable(session);
      copyCompact(file, temporary.path());
    } else {
      copyLess(session, temporary.path(), keep);
    }
  }
  temporary.sync();
  sizes.after = bytesOf(temporary.path());
  temporary.replace(file);
  return sizes;
}

}  // namespace opscope
