// SPDX-License-Identifier: Apache-2.0
#include "session/control_rows.h"

#include <fmt/format.h>

#include <limits>

#include "session/schema.h"
#include "session/stored_summary.h"

namespace opscope {
namespace {

constexpr const char* kControlTables = R"sql(
CREATE TABLE IF NOT EXISTS control_pass (
  run_id INTEGER NOT NULL REFERENCES run(id), pass_id INTEGER PRIMARY KEY REFERENCES pass(id),
  control TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS prequeued (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, control INTEGER,
  why_no_gaps TEXT NOT NULL,
  latency_normal_ns INTEGER NOT NULL, latency_held_ns INTEGER NOT NULL,
  gap_normal_ns INTEGER NOT NULL, gap_held_ns INTEGER NOT NULL,
  host_normal_ns INTEGER NOT NULL, host_held_ns INTEGER NOT NULL,
  failure TEXT, failure_message TEXT, failure_remedy TEXT,
  PRIMARY KEY (run_id, implementation)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS prequeued_gap (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, idx INTEGER NOT NULL,
  position INTEGER NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
  normal_ns INTEGER NOT NULL, held_ns INTEGER NOT NULL,
  label TEXT NOT NULL, labelled INTEGER NOT NULL, count INTEGER NOT NULL, result TEXT NOT NULL,
  host_cost_ns INTEGER GENERATED ALWAYS AS (normal_ns - held_ns) VIRTUAL,
  PRIMARY KEY (run_id, implementation, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tracing_cost (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, collection TEXT NOT NULL,
  n INTEGER NOT NULL, median_ns REAL, p10_ns REAL, p90_ns REAL, min_ns REAL, max_ns REAL, iqr_ns REAL,
  failure TEXT, failure_message TEXT, failure_remedy TEXT,
  PRIMARY KEY (run_id, implementation, collection)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS method (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, idx INTEGER NOT NULL,
  method TEXT NOT NULL, l2 TEXT NOT NULL, includes TEXT NOT NULL, calls_per_reading INTEGER NOT NULL,
  n INTEGER NOT NULL, median_ns REAL, p10_ns REAL, p90_ns REAL, min_ns REAL, max_ns REAL, iqr_ns REAL,
  failure TEXT, failure_message TEXT, failure_remedy TEXT,
  PRIMARY KEY (run_id, implementation, idx)
) STRICT, WITHOUT ROWID;
)sql";

struct FailureText {
  std::optional<std::string_view> code, message, remedy;
  explicit FailureText(const std::optional<ErrorInfo>& failure) {
    if (!failure) return;
    code = nameOf(failure->code);
    message = failure->message;
    remedy = failure->remedy;
  }
};

// Why there is no control has no place in a file: three columns do.
std::optional<ErrorInfo> failureAt(const sqlite::Statement& row, int column) {
  if (row.isNull(column)) return std::nullopt;
  return ErrorInfo{errorCodeFromName(row.view(column)), row.text(column + 1), row.text(column + 2), {}};
}

constexpr const char* kSummaryColumns = "n, median_ns, p10_ns, p90_ns, min_ns, max_ns, iqr_ns";

void writePrequeued(sqlite::Database& db, std::int64_t run, std::size_t implementation,
                    const PrequeuedResult& result) {
  const PrequeuedComparison& c = result.comparison;
  const FailureText f(result.failure);
  std::optional<std::int32_t> control;
  if (result.control >= 0) control = result.control;
  db.prepare("INSERT INTO prequeued VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .run(run, implementation, control, c.whyNoGaps, c.latencyNormal, c.latencyHeld, c.gapNormal, c.gapHeld,
           c.hostNormal, c.hostHeld, f.code, f.message, f.remedy);
  sqlite::Statement gap = db.prepare(
      "INSERT INTO prequeued_gap (run_id, implementation, idx, position, before, after, normal_ns, held_ns,"
      "label, labelled, count, result) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < c.gaps.size(); ++i) {
    const PrequeuedGap& g = c.gaps[i];
    gap.run(run, implementation, i, g.position, g.before, g.after, g.normal, g.held, nameOf(g.label),
            g.labelled, g.count, nameOf(g.result));
  }
}

void writeTracingCost(sqlite::Database& db, std::int64_t run, std::size_t implementation,
                      const TracingCost& cost) {
  const FailureText f(cost.failure);
  sqlite::Statement row = db.prepare("INSERT INTO tracing_cost VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
  const auto add = [&](std::string_view collection, const Summary& s) {
    row.run(run, implementation, collection, s.n, s.median, s.p10, s.p90, s.min, s.max, s.iqr, f.code,
            f.message, f.remedy);
  };
  add("off", cost.off);
  add("on", cost.on);
}

void writeMethods(sqlite::Database& db, std::int64_t run, std::size_t implementation,
                  const std::vector<MethodReading>& methods) {
  sqlite::Statement row = db.prepare("INSERT INTO method VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const MethodReading& m = methods[i];
    const FailureText f(m.failure);
    const Summary& s = m.perCall;
    row.run(run, implementation, i, m.method, m.l2, m.includes, m.callsPerReading, s.n, s.median, s.p10,
            s.p90, s.min, s.max, s.iqr, f.code, f.message, f.remedy);
  }
}

bool hasControls(sqlite::Database& db) {
  return sessionVersionOf(db) >= 2;
}

// A number read from a file, where the program has 32 bits for it.
std::uint32_t count32(const sqlite::Statement& row, int column) {
  const std::int64_t value = row.integer(column);
  return value < 0 || value > std::numeric_limits<std::uint32_t>::max() ? 0
                                                                        : static_cast<std::uint32_t>(value);
}

class ControlReader {
 public:
  ControlReader(sqlite::Database& db, std::int64_t run, Run& into) : db_(db), run_(run), into_(into) {}

  std::string read() {
    readPrequeued();
    readPrequeuedGaps();
    readTracingCost();
    readMethods();
    return wrong_;
  }

 private:
  // Null for a row of an implementation that is not there, which is damage.
  ImplementationResult* at(const sqlite::Statement& row) {
    const std::int64_t index = row.integer(0);
    if (index >= 0 && index < static_cast<std::int64_t>(into_.implementations.size()))
      return &into_.implementations[static_cast<std::size_t>(index)];
    wrong_ = "a control belongs to no implementation";
    return nullptr;
  }

  void readPrequeued() {
    sqlite::Statement row = db_.prepare(
        "SELECT implementation, control, why_no_gaps, latency_normal_ns, latency_held_ns, gap_normal_ns,"
        "gap_held_ns, host_normal_ns, host_held_ns, failure, failure_message, failure_remedy FROM prequeued "
        "WHERE run_id = ?");
    row.bindAll(run_);
    while (row.step()) {
      ImplementationResult* result = at(row);
      if (result == nullptr) return;
      PrequeuedResult p;
      if (!row.isNull(1)) {
        const std::int64_t control = row.integer(1);
        if (control < 0 || control >= static_cast<std::int64_t>(into_.controls.size())) {
          wrong_ = "a pre-queued comparison rests on a pass that is not there";
          return;
        }
        p.control = static_cast<std::int32_t>(control);
      }
      p.comparison.whyNoGaps = row.text(2);
      p.comparison.latencyNormal = row.integer(3);
      p.comparison.latencyHeld = row.integer(4);
      p.comparison.gapNormal = row.integer(5);
      p.comparison.gapHeld = row.integer(6);
      p.comparison.hostNormal = row.integer(7);
      p.comparison.hostHeld = row.integer(8);
      p.failure = failureAt(row, 9);
      result->prequeued = std::move(p);
    }
  }

  void readPrequeuedGaps() {
    sqlite::Statement row = db_.prepare(
        "SELECT implementation, position, before, after, normal_ns, held_ns, label, labelled, count, result "
        "FROM prequeued_gap WHERE run_id = ? ORDER BY implementation, idx");
    row.bindAll(run_);
    while (row.step()) {
      ImplementationResult* result = at(row);
      if (result == nullptr) return;
      if (!result->prequeued) {
        wrong_ = "a pre-queued gap belongs to no comparison";
        return;
      }
      result->prequeued->comparison.gaps.push_back({.position = count32(row, 1),
                                                    .before = row.text(2),
                                                    .after = row.text(3),
                                                    .normal = row.integer(4),
                                                    .held = row.integer(5),
                                                    .label = gapCauseFromName(row.view(6)),
                                                    .labelled = count32(row, 7),
                                                    .count = count32(row, 8),
                                                    .result = experimentResultFromName(row.view(9))});
    }
  }

  void readTracingCost() {
    sqlite::Statement row = db_.prepare(
        fmt::format("SELECT implementation, collection, {}, failure, failure_message, failure_remedy "
                    "FROM tracing_cost WHERE run_id = ?",
                    kSummaryColumns));
    row.bindAll(run_);
    while (row.step()) {
      ImplementationResult* result = at(row);
      if (result == nullptr) return;
      if (!result->tracingCost) result->tracingCost.emplace();
      (row.view(1) == "on" ? result->tracingCost->on : result->tracingCost->off) = summaryAt(row, 2);
      result->tracingCost->failure = failureAt(row, 9);
    }
  }

  void readMethods() {
    sqlite::Statement row = db_.prepare(
        fmt::format("SELECT implementation, method, l2, includes, calls_per_reading, {}, failure,"
                    "failure_message, failure_remedy FROM method WHERE run_id = ? ORDER BY implementation, "
                    "idx",
                    kSummaryColumns));
    row.bindAll(run_);
    while (row.step()) {
      ImplementationResult* result = at(row);
      if (result == nullptr) return;
      result->methods.push_back({.method = row.text(1),
                                 .l2 = row.text(2),
                                 .includes = row.text(3),
                                 .callsPerReading = count32(row, 4),
                                 .perCall = summaryAt(row, 5),
                                 .failure = failureAt(row, 12)});
    }
  }

  sqlite::Database& db_;
  std::int64_t run_;
  Run& into_;
  std::string wrong_;
};

}  // namespace

void createControlTables(sqlite::Database& db) {
  db.execute(kControlTables);
}

void markControlPass(sqlite::Database& db, std::int64_t run, std::int64_t passRow, const Pass& pass) {
  if (pass.control.empty()) return;
  db.prepare("INSERT INTO control_pass VALUES (?,?,?)").run(run, passRow, pass.control);
}

void writeControlRows(sqlite::Database& db, std::int64_t run, const Run& from) {
  for (std::size_t i = 0; i < from.implementations.size(); ++i) {
    const ImplementationResult& result = from.implementations[i];
    if (result.prequeued) writePrequeued(db, run, i, *result.prequeued);
    if (result.tracingCost) writeTracingCost(db, run, i, *result.tracingCost);
    writeMethods(db, run, i, result.methods);
  }
}

std::string controlOfPass(sqlite::Database& db, std::int64_t passRow) {
  if (!hasControls(db)) return {};
  sqlite::Statement row = db.prepare("SELECT control FROM control_pass WHERE pass_id = ?");
  row.bindAll(passRow);
  return row.step() ? row.text(0) : std::string();
}

std::string readControlRows(sqlite::Database& db, std::int64_t run, Run& into) {
  return hasControls(db) ? ControlReader(db, run, into).read() : std::string();
}

}  // namespace opscope
