// SPDX-License-Identifier: Apache-2.0
#include "session/store_ceilings.h"

namespace opscope {
namespace {

constexpr const char* kMemoryRow = "memory";
constexpr const char* kMatrixRow = "matrix";

void writeCeiling(sqlite::Database& db, std::int64_t id, const char* kind,
                  const std::optional<Ceiling>& ceiling) {
  if (!ceiling) return;
  db.prepare("INSERT INTO ceiling (run_id, kind, per_second, sm_clock_mhz, probe) VALUES (?,?,?,?,?)")
      .run(id, kind, ceiling->perSecond, ceiling->smClockMhz, ceiling->probe);
}

}  // namespace

void createCeilingTables(sqlite::Database& db) {
  db.execute(R"sql(
CREATE TABLE IF NOT EXISTS ceilings (
  run_id INTEGER PRIMARY KEY REFERENCES run(id), measured_at TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS ceiling (
  run_id INTEGER NOT NULL REFERENCES run(id), kind TEXT NOT NULL,
  per_second REAL, sm_clock_mhz REAL, probe TEXT NOT NULL,
  PRIMARY KEY (run_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ceiling_difference (
  run_id INTEGER NOT NULL REFERENCES run(id), idx INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run_id, idx)
) STRICT, WITHOUT ROWID;
)sql");
}

void writeCeilings(sqlite::Database& db, std::int64_t id, const Run& run) {
  if (!run.ceilings) return;
  db.prepare("INSERT INTO ceilings (run_id, measured_at) VALUES (?,?)").run(id, run.ceilings->measuredAt);
  writeCeiling(db, id, kMemoryRow, run.ceilings->memory);
  writeCeiling(db, id, kMatrixRow, run.ceilings->matrix);
  sqlite::Statement difference =
      db.prepare("INSERT INTO ceiling_difference (run_id, idx, text) VALUES (?,?,?)");
  for (std::size_t i = 0; i < run.ceilings->differences.size(); ++i)
    difference.run(id, i, run.ceilings->differences[i]);
}

void readCeilings(sqlite::Database& db, std::int64_t id, Run& run) {
  if (db.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'ceiling_difference'") == 0) return;
  sqlite::Statement row = db.prepare("SELECT measured_at FROM ceilings WHERE run_id = ?");
  row.bindAll(id);
  if (!row.step()) return;
  run.ceilings.emplace().measuredAt = row.text(0);
  sqlite::Statement each =
      db.prepare("SELECT kind, per_second, sm_clock_mhz, probe FROM ceiling WHERE run_id = ?");
  each.bindAll(id);
  while (each.step()) {
    std::optional<double> clock;
    if (!each.isNull(2)) clock = each.real(2);
    (each.view(0) == kMemoryRow ? run.ceilings->memory : run.ceilings->matrix) =
        Ceiling{each.real(1), clock, each.text(3)};
  }
  sqlite::Statement difference =
      db.prepare("SELECT text FROM ceiling_difference WHERE run_id = ? ORDER BY idx");
  difference.bindAll(id);
  while (difference.step()) run.ceilings->differences.push_back(difference.text(0));
}

}  // namespace opscope
