// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "session/kept.h"
#include "session/schema.h"
#include "session/session_file.h"
#include "session/store.h"
#include "session/store_rows.h"
#include "session/text_file.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void throwCannotWrite(const fs::path& file, const sqlite::Failure& failure) {
  std::string remedy = "Choose another place for the session.";
  switch (failure.code() & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
      remedy = "Look whether the disk is full, or choose another place for the session.";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      remedy = "Another program has the session open: close it there.";
      break;
    default:
      break;
  }
  throw CannotWrite(fmt::format("Cannot write the session {}: {}", file.string(), failure.what()), remedy);
}

// Where a new database may be made: nothing there, or a file without a byte in it.
bool isNew(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return true;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) == 0;
}

void deleteRun(sqlite::Database& db, std::int64_t run) {
  deletePasses(db, fmt::format("SELECT id FROM pass WHERE run_id = {}", run));
  deleteRunRows(db, run);
  db.prepare("DELETE FROM run WHERE id = ?").run(run);
}

}  // namespace

struct SessionWriter::Impl {
  fs::path file;
  RecordsKept keep = RecordsKept::All;
  std::optional<sqlite::Database> database;

  // Every step of the writer is one transaction that happens whole or not at all.
  template <class Work>
  auto inTransaction(Work work) {
    if (!database) throw CannotWrite(fmt::format("The session {} is closed", file.string()));
    try {
      sqlite::Transaction transaction(*database);
      auto result = work(*database);
      transaction.commit();
      return result;
    } catch (const sqlite::Failure& failure) {
      throwCannotWrite(file, failure);
    }
  }
};

SessionWriter::SessionWriter(const fs::path& file, RecordsKept keep) : impl_(std::make_unique<Impl>()) {
  impl_->file = file;
  impl_->keep = keep;
  const bool fresh = isNew(file);
  if (!fresh) requireSessionFile(file);
  checkWritable(file);
  try {
    impl_->database.emplace(file, sqlite::Database::Mode::Create);
    sqlite::Database& db = *impl_->database;
    if (fresh)
      createSchema(db);
    else
      requireSessionSchema(db, file);
    upgradeSchema(db);
    // Some file systems cannot do WAL; the old journal is then as safe, only slower.
    db.text("PRAGMA journal_mode = WAL");
    db.execute("PRAGMA synchronous = NORMAL");
  } catch (const sqlite::Failure& failure) {
    throwCannotWrite(file, failure);
  }
}

SessionWriter::~SessionWriter() {
  try {
    close();
  } catch (...) {
    // The destructor is the way out after a failure that has been reported already.
  }
}

std::int64_t SessionWriter::beginRun(const Run& run) {
  // Findings point at passes: before these are there, a file that the writer's death left would look damaged.
  Run start = run;
  start.findings.clear();
  return impl_->inTransaction([&](sqlite::Database& db) {
    const std::int64_t id = db.integer("SELECT coalesce(max(id), 0) + 1 FROM run");
    writeRunRows(db, id, start, false);
    return id;
  });
}

void SessionWriter::addPass(std::int64_t run, const std::shared_ptr<const Pass>& pass) {
  const auto kept = reducedTo(impl_->keep, pass);
  impl_->inTransaction([&](sqlite::Database& db) {
    writePass(db, run, *kept);
    return true;
  });
}

void SessionWriter::removeBlock(std::int64_t run, std::uint32_t block) {
  impl_->inTransaction([&](sqlite::Database& db) {
    deletePasses(db, fmt::format("SELECT id FROM pass WHERE run_id = {} AND block = {}", run, block));
    return true;
  });
}

void SessionWriter::removeRun(std::int64_t run) {
  impl_->inTransaction([&](sqlite::Database& db) {
    deleteRun(db, run);
    return true;
  });
}

void SessionWriter::removeRun(std::int64_t row, const Run& run) {
  impl_->inTransaction([&](sqlite::Database& db) {
    sqlite::Statement same =
        db.prepare("SELECT 1 FROM run WHERE id = ? AND op = ? AND started_unix_ns = ? AND seed = ?");
    same.bindAll(row, run.op, run.startedUnixNs, run.seed);
    const bool there = same.step();
    same.reset();
    if (there) deleteRun(db, row);
    return there;
  });
}

void SessionWriter::finishRun(std::int64_t runId, const Run& run) {
  const Run kept = reducedTo(impl_->keep, run);
  impl_->inTransaction([&](sqlite::Database& db) {
    deleteRunRows(db, runId);
    writeRunRows(db, runId, kept, true);
    return true;
  });
}

std::int64_t SessionWriter::addRun(const Run& run) {
  const std::int64_t id = beginRun(run);
  for (const std::shared_ptr<const Pass>& pass : run.passes) addPass(id, pass);
  for (const std::shared_ptr<const Pass>& pass : run.controls) addPass(id, pass);
  finishRun(id, run);
  return id;
}

void SessionWriter::setNote(std::int64_t row, const std::string& note) {
  const bool there = impl_->inTransaction([&](sqlite::Database& db) {
    db.prepare("UPDATE run SET note = ? WHERE id = ?").run(note, row);
    return sqlite3_changes(db.handle()) == 1;
  });
  if (!there) throw BadInput(fmt::format("{} has no run in row {}", impl_->file.string(), row));
}

void SessionWriter::sync() {
  if (!impl_->database) return;
  try {
    // Synced transaction by transaction a run would cost dozens of waits for the disk.
    impl_->database->text("PRAGMA wal_checkpoint(PASSIVE)");
  } catch (const sqlite::Failure& failure) {
    throwCannotWrite(impl_->file, failure);
  }
}

void SessionWriter::close() {
  if (!impl_->database) return;
  const fs::path file = impl_->file;
  try {
    sqlite::Database& db = *impl_->database;
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    const std::string mode = db.text("PRAGMA journal_mode = DELETE");
    if (mode != "delete") throw sqlite::Failure(SQLITE_BUSY, "its journal could not be folded into the file");
    impl_->database.reset();
  } catch (const sqlite::Failure& failure) {
    impl_->database.reset();
    throwCannotWrite(file, failure);
  }
}

void writeSession(const fs::path& file, const std::vector<std::shared_ptr<const Run>>& runs) {
  if (!isNew(file)) requireReplaceable(file);
  checkWritable(file);
  const TemporaryFile temporary(file);
  try {
    sqlite::Database db(temporary.path(), sqlite::Database::Mode::Create);
    // Nobody sees this file before it is whole, and it is thrown away if it does not become so: no journal is
    // needed, and one sync at the end does for all.
    db.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    createSchema(db);
    sqlite::Transaction transaction(db);
    std::int64_t id = 0;
    for (const std::shared_ptr<const Run>& run : runs) {
      writeRunRows(db, ++id, *run, true);
      for (const std::shared_ptr<const Pass>& pass : run->passes) writePass(db, id, *pass);
      for (const std::shared_ptr<const Pass>& pass : run->controls) writePass(db, id, *pass);
    }
    transaction.commit();
  } catch (const sqlite::Failure& failure) {
    throwCannotWrite(file, failure);
  }
  temporary.sync();
  temporary.replace(file);
}

}  // namespace opscope
