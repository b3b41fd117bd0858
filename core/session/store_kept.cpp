// SPDX-License-Identifier: Apache-2.0
#include "session/store_kept.h"

#include "session/kept.h"
#include "session/stored_summary.h"

namespace opscope {

void createKeptTable(sqlite::Database& db) {
  db.execute(R"sql(
CREATE TABLE IF NOT EXISTS kept (
  pass_id INTEGER PRIMARY KEY REFERENCES pass(id), records TEXT NOT NULL,
  busy_n INTEGER NOT NULL, busy_median_ns REAL, busy_p10_ns REAL, busy_p90_ns REAL, busy_min_ns REAL,
  busy_max_ns REAL, busy_iqr_ns REAL,
  latency_n INTEGER NOT NULL, latency_median_ns REAL, latency_p10_ns REAL, latency_p90_ns REAL,
  latency_min_ns REAL, latency_max_ns REAL, latency_iqr_ns REAL,
  kernels_median REAL, memops_median REAL, memop_time_median_ns REAL,
  latency_total_ns INTEGER NOT NULL, middle_ns INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS kept_gap (
  pass_id INTEGER NOT NULL REFERENCES pass(id), cause TEXT NOT NULL,
  count INTEGER NOT NULL, time_ns INTEGER NOT NULL, iterations INTEGER NOT NULL,
  PRIMARY KEY (pass_id, cause)
) STRICT, WITHOUT ROWID;
)sql");
}

void writeKept(sqlite::Database& db, std::int64_t passRow, const Pass& pass) {
  if (pass.kept == RecordsKept::All) return;
  const PassFigures f = figuresOf(pass);
  db.prepare("INSERT INTO kept VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .run(passRow, nameOf(pass.kept), f.busy.n, f.busy.median, f.busy.p10, f.busy.p90, f.busy.min,
           f.busy.max, f.busy.iqr, f.latency.n, f.latency.median, f.latency.p10, f.latency.p90, f.latency.min,
           f.latency.max, f.latency.iqr, f.kernelsMedian, f.memopsMedian, f.memopTimeMedian, f.latencyTotal,
           f.middle);
  sqlite::Statement row = db.prepare("INSERT INTO kept_gap VALUES (?,?,?,?,?)");
  for (std::size_t cause = 0; cause < f.gaps.size(); ++cause)
    if (const GapTotal& total = f.gaps[cause]; total.count > 0)
      row.run(passRow, nameOf(static_cast<GapCause>(cause)), total.count, total.time, total.iterations);
}

std::string readKept(sqlite::Database& db, std::int64_t passRow, Pass& pass) {
  if (db.integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'kept'") == 0) return {};
  sqlite::Statement row = db.prepare(
      "SELECT records, busy_n, busy_median_ns, busy_p10_ns, busy_p90_ns, busy_min_ns, busy_max_ns,"
      "busy_iqr_ns, latency_n, latency_median_ns, latency_p10_ns, latency_p90_ns, latency_min_ns,"
      "latency_max_ns, latency_iqr_ns, kernels_median, memops_median, memop_time_median_ns,"
      "latency_total_ns, middle_ns FROM kept WHERE pass_id = ?");
  row.bindAll(passRow);
  if (!row.step()) return {};
  const auto kept = recordsKeptFromName(row.view(0));
  if (!kept) return "what was kept of a pass is no word that is known";
  pass.kept = *kept;
  if (*kept == RecordsKept::All) return {};
  PassFigures figures{.busy = summaryAt(row, 1),
                      .latency = summaryAt(row, 8),
                      .kernelsMedian = row.real(15),
                      .memopsMedian = row.real(16),
                      .memopTimeMedian = row.real(17),
                      .latencyTotal = row.integer(18),
                      .gaps = GapTotals(kGapCauses),
                      .middle = row.integer(19)};
  sqlite::Statement gap =
      db.prepare("SELECT cause, count, time_ns, iterations FROM kept_gap WHERE pass_id = ?");
  gap.bindAll(passRow);
  while (gap.step()) {
    GapTotal& total = figures.gaps.at(static_cast<std::size_t>(gapCauseFromName(gap.view(0))));
    total = {gap.as<std::uint64_t>(1), gap.integer(2), gap.as<std::uint32_t>(3)};
  }
  pass.figures = std::make_shared<const PassFigures>(std::move(figures));
  return {};
}

}  // namespace opscope
