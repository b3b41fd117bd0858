// SPDX-License-Identifier: Apache-2.0
#include "session/store_comparison.h"

#include <limits>

#include "session/comparison.h"

namespace opscope {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE IF NOT EXISTS settling (
  run_id INTEGER PRIMARY KEY REFERENCES run(id),
  settled INTEGER NOT NULL, took_ns INTEGER NOT NULL, limit_ns INTEGER NOT NULL, rounds INTEGER NOT NULL,
  first_clock_mhz INTEGER, last_clock_mhz INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS noise_floor (
  run_id INTEGER PRIMARY KEY REFERENCES run(id), share REAL, measured_at TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS noise_floor_difference (
  run_id INTEGER NOT NULL REFERENCES run(id), idx INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS comparison (
  run_id INTEGER PRIMARY KEY REFERENCES run(id),
  requested_baseline INTEGER, baseline INTEGER,
  drift_per_step REAL, drift_step_ns INTEGER, drift_pairs INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS comparison_ratio (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL,
  pooled_ratio REAL, ratio REAL, ratio_low REAL, ratio_high REAL, fixed_order_ratio REAL,
  threshold REAL, threshold_source TEXT NOT NULL, verdict TEXT NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY (run_id, implementation)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS comparison_block (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, block INTEGER NOT NULL,
  ratio REAL,
  PRIMARY KEY (run_id, implementation, block)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pass_spread (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL,
  lowest_ns REAL, highest_ns REAL, iqr_ns REAL,
  PRIMARY KEY (run_id, implementation)
) STRICT, WITHOUT ROWID;
)sql";

void writeNoiseFloor(sqlite::Database& db, std::int64_t id, const NoiseFloor& floor) {
  db.prepare("INSERT INTO noise_floor (run_id, share, measured_at) VALUES (?,?,?)")
      .run(id, floor.share, floor.measuredAt);
  sqlite::Statement difference =
      db.prepare("INSERT INTO noise_floor_difference (run_id, idx, text) VALUES (?,?,?)");
  for (std::size_t i = 0; i < floor.differences.size(); ++i) difference.run(id, i, floor.differences[i]);
}

void writeRatio(sqlite::Database& db, std::int64_t id, const AgainstBaseline& row) {
  constexpr double kNull = std::numeric_limits<double>::quiet_NaN();
  const RatioInterval interval = row.interval.value_or(RatioInterval{kNull, kNull});
  db.prepare(
        "INSERT INTO comparison_ratio (run_id, implementation, pooled_ratio, ratio, ratio_low, ratio_high,"
        "fixed_order_ratio, threshold, threshold_source, verdict, reason) VALUES (?,?,?,?,?,?,?,?,?,?,?)")
      .run(id, row.implementation, row.pooled, row.ratio, interval.low, interval.high, row.fixedOrder,
           row.threshold.share, nameOf(row.threshold.source), nameOf(row.verdict), nameOf(row.reason));
  sqlite::Statement block =
      db.prepare("INSERT INTO comparison_block (run_id, implementation, block, ratio) VALUES (?,?,?,?)");
  for (const BlockRatio& ratio : row.blocks) block.run(id, row.implementation, ratio.block, ratio.ratio);
}

void writeResults(sqlite::Database& db, std::int64_t id, const BlockComparison& comparison) {
  for (const AgainstBaseline& row : comparison.rows) writeRatio(db, id, row);
  sqlite::Statement spread = db.prepare(
      "INSERT INTO pass_spread (run_id, implementation, lowest_ns, highest_ns, iqr_ns) "
      "VALUES (?,?,?,?,?)");
  for (const PassSpread& s : comparison.spreads) spread.run(id, s.implementation, s.lowest, s.highest, s.iqr);
}

std::optional<double> realOrNone(const sqlite::Statement& row, int column) {
  return row.isNull(column) ? std::nullopt : std::optional(row.real(column));
}

// An implementation that the run has, else nothing.
std::optional<std::uint32_t> implementationAt(const sqlite::Statement& row, int column, const Run& run) {
  const std::int64_t index = row.integer(column);
  if (index < 0 || static_cast<std::size_t>(index) >= run.implementations.size()) return std::nullopt;
  return static_cast<std::uint32_t>(index);
}

void readSettling(sqlite::Database& db, std::int64_t id, Run& run) {
  sqlite::Statement row = db.prepare(
      "SELECT settled, took_ns, limit_ns, rounds, first_clock_mhz, last_clock_mhz FROM settling WHERE run_id "
      "= ?");
  row.bindAll(id);
  if (row.step())
    run.settling = Settling{row.integer(0) != 0,      row.integer(1),       row.integer(2),
                            row.as<std::uint32_t>(3), row.optional<int>(4), row.optional<int>(5)};
}

void readNoiseFloor(sqlite::Database& db, std::int64_t id, Run& run) {
  sqlite::Statement row = db.prepare("SELECT share, measured_at FROM noise_floor WHERE run_id = ?");
  row.bindAll(id);
  if (!row.step()) return;
  run.noiseFloor = NoiseFloor{row.real(0), row.text(1), {}};
  sqlite::Statement difference =
      db.prepare("SELECT text FROM noise_floor_difference WHERE run_id = ? ORDER BY idx");
  difference.bindAll(id);
  while (difference.step()) run.noiseFloor->differences.push_back(difference.text(0));
}

bool readRatios(sqlite::Database& db, std::int64_t id, const Run& run, BlockComparison& comparison) {
  sqlite::Statement row = db.prepare(
      "SELECT implementation, pooled_ratio, ratio, ratio_low, ratio_high, fixed_order_ratio, threshold,"
      "threshold_source, verdict, reason FROM comparison_ratio WHERE run_id = ? ORDER BY implementation");
  row.bindAll(id);
  sqlite::Statement block = db.prepare(
      "SELECT block, ratio FROM comparison_block WHERE run_id = ? AND implementation = ? ORDER BY block");
  while (row.step()) {
    const auto implementation = implementationAt(row, 0, run);
    if (!implementation) return false;
    AgainstBaseline r;
    r.implementation = *implementation;
    r.pooled = row.real(1);
    r.ratio = realOrNone(row, 2);
    if (!row.isNull(3) && !row.isNull(4)) r.interval = RatioInterval{row.real(3), row.real(4)};
    r.fixedOrder = realOrNone(row, 5);
    r.threshold = {row.real(6), thresholdSourceFromName(row.view(7))};
    r.verdict = verdictFromName(row.view(8));
    r.reason = verdictReasonFromName(row.view(9));
    block.bindAll(id, *implementation);
    while (block.step()) r.blocks.push_back({block.as<std::uint32_t>(0), block.real(1)});
    comparison.rows.push_back(std::move(r));
  }
  return true;
}

bool readSpreads(sqlite::Database& db, std::int64_t id, const Run& run, BlockComparison& comparison) {
  sqlite::Statement row = db.prepare(
      "SELECT implementation, lowest_ns, highest_ns, iqr_ns FROM pass_spread WHERE run_id = ? ORDER BY "
      "implementation");
  row.bindAll(id);
  while (row.step()) {
    const auto implementation = implementationAt(row, 0, run);
    if (!implementation) return false;
    comparison.spreads.push_back({*implementation, row.real(1), row.real(2), row.real(3)});
  }
  return true;
}

}  // namespace

void createComparisonTables(sqlite::Database& db) {
  db.execute(kTables);
}

void writeComparison(sqlite::Database& db, std::int64_t id, const Run& run) {
  if (run.settling) {
    const Settling& s = *run.settling;
    db.prepare(
          "INSERT INTO settling (run_id, settled, took_ns, limit_ns, rounds, first_clock_mhz, "
          "last_clock_mhz) "
          "VALUES (?,?,?,?,?,?,?)")
        .run(id, s.settled, s.took, s.limit, s.rounds, s.firstClockMhz, s.lastClockMhz);
  }
  if (run.noiseFloor) writeNoiseFloor(db, id, *run.noiseFloor);
  if (!run.comparison && !run.baseline) return;
  std::optional<std::uint32_t> baseline;
  std::optional<DriftEstimate> drift;
  if (run.comparison) {
    baseline = run.comparison->baseline;
    drift = run.comparison->drift;
    writeResults(db, id, *run.comparison);
  }
  const auto part = [&drift](auto DriftEstimate::* field) {
    return drift ? std::optional((*drift).*field) : std::nullopt;
  };
  db.prepare(
        "INSERT INTO comparison (run_id, requested_baseline, baseline, drift_per_step, drift_step_ns,"
        "drift_pairs) VALUES (?,?,?,?,?,?)")
      .run(id, run.baseline, baseline, part(&DriftEstimate::perStep), part(&DriftEstimate::step),
           part(&DriftEstimate::pairs));
}

bool readComparison(sqlite::Database& db, std::int64_t id, Run& run) {
  if (db.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'comparison'") == 0) {
    run.comparison = compareImplementations(run);
    return true;
  }
  readSettling(db, id, run);
  readNoiseFloor(db, id, run);
  sqlite::Statement row = db.prepare(
      "SELECT requested_baseline, baseline, drift_per_step, drift_step_ns, drift_pairs FROM comparison "
      "WHERE run_id = ?");
  row.bindAll(id);
  if (!row.step()) {
    // Nothing to compare, or written by version 1.
    run.comparison = compareImplementations(run);
    return true;
  }
  if (!row.isNull(0)) {
    run.baseline = implementationAt(row, 0, run);
    if (!run.baseline) return false;
  }
  if (row.isNull(1)) return true;
  const auto baseline = implementationAt(row, 1, run);
  if (!baseline) return false;
  BlockComparison comparison;
  comparison.baseline = *baseline;
  if (!row.isNull(4)) comparison.drift = DriftEstimate{row.real(2), row.integer(3), row.as<std::uint32_t>(4)};
  if (!readRatios(db, id, run, comparison) || !readSpreads(db, id, run, comparison)) return false;
  run.comparison = std::move(comparison);
  return true;
}

}  // namespace opscope
