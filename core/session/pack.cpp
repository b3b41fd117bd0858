// SPDX-License-Identifier: Apache-2.0
#include "session/pack.h"

#include <fmt/format.h>

#include "base/error.h"
#include "session/schema.h"
#include "session/store_rows.h"

namespace opscope {
namespace {

// A session without runs and without the tables of what passes recorded: whoever opens it reads of every
// table that it is there, which takes as long as the rows. Kept: making the tables takes longer than writing
// a run.
const std::vector<std::uint8_t>& emptySession() {
  static const std::vector<std::uint8_t> image = [] {
    sqlite::Database db = sqlite::Database::inMemory();
    db.execute("PRAGMA page_size = 512");  // most tables have a row or none, and each takes a page
    sqlite::Transaction transaction(db);
    createRunSchema(db);
    transaction.commit();
    return db.image();
  }();
  return image;
}

}  // namespace

std::vector<std::uint8_t> packRun(const Run& run) {
  try {
    sqlite::Database db = sqlite::Database::startingFrom(emptySession());
    sqlite::Transaction transaction(db);
    writeRunRows(db, 1, run, true);
    transaction.commit();
    return db.image();
  } catch (const sqlite::Failure& failure) {
    throw InternalError(fmt::format("A run cannot be packed: {}", failure.what()));
  }
}

int packedRunFormat() {
  return kSessionVersion;
}

}  // namespace opscope
