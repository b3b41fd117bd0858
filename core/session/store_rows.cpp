// SPDX-License-Identifier: Apache-2.0
#include "session/store_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "session/control_rows.h"
#include "session/schema.h"
#include "session/store_ceilings.h"
#include "session/store_comparison.h"
#include "session/store_counters.h"
#include "session/store_evidence.h"
#include "session/store_kept.h"
#include "session/store_ranges.h"

namespace opscope {
namespace {

struct FailureColumns {
  std::optional<std::string_view> code, message, remedy, file;
  std::optional<int> line, column;
  explicit FailureColumns(const std::optional<ErrorInfo>& failure) {
    if (!failure) return;
    code = nameOf(failure->code);
    message = failure->message;
    remedy = failure->remedy;
    file = failure->place.file;
    line = failure->place.line;
    column = failure->place.column;
  }
};

std::string_view nameOf(VerificationRecord::State state) {
  switch (state) {
    case VerificationRecord::State::Passed:
      return "passed";
    case VerificationRecord::State::Failed:
      return "failed";
    case VerificationRecord::State::NotChecked:
      break;
  }
  return "not checked";
}

std::optional<std::int32_t> orNull(std::int32_t index) {
  return index < 0 ? std::nullopt : std::optional(index);
}

std::optional<std::string_view> orNull(GapCause cause) {
  return cause == GapCause::Undecided ? std::nullopt : std::optional(opscope::nameOf(cause));
}

std::string insertInto(std::string_view table, std::string_view columns, int values) {
  std::string sql = fmt::format("INSERT INTO {} ({}) VALUES (?", table, columns);
  for (int i = 1; i < values; ++i) sql += ",?";
  return sql + ")";
}

void writeImplementation(sqlite::Database& db, std::int64_t run, std::size_t index,
                         const ImplementationResult& r) {
  const FailureColumns f(r.failure);
  db.prepare(
        insertInto("implementation",
                   "run_id, idx, name, doc, verification, compared, elements, tolerance, worst, worst_at,"
                   "failure, failure_message, failure_remedy, failure_file, failure_line, failure_column,"
                   "iteration_cost_ns, busy_n, busy_median_ns, busy_p10_ns, busy_p90_ns, busy_min_ns,"
                   "busy_max_ns, busy_iqr_ns, latency_n, latency_median_ns, latency_p10_ns, latency_p90_ns,"
                   "latency_min_ns, latency_max_ns, latency_iqr_ns, gap_n, gap_median_ns, gap_p10_ns,"
                   "gap_p90_ns, gap_min_ns, gap_max_ns, gap_iqr_ns, kernels_min, kernels_max,"
                   "kernels_median, memops_median, memop_time_median_ns",
                   43))
      .run(run, index, r.name, r.doc, nameOf(r.verification.state), r.verification.compared,
           r.verification.elements, r.verification.tolerance, r.verification.worst, r.verification.where,
           f.code, f.message, f.remedy, f.file, f.line, f.column, r.iterationCost, r.busy.n, r.busy.median,
           r.busy.p10, r.busy.p90, r.busy.min, r.busy.max, r.busy.iqr, r.latency.n, r.latency.median,
           r.latency.p10, r.latency.p90, r.latency.min, r.latency.max, r.latency.iqr, r.gap.n, r.gap.median,
           r.gap.p10, r.gap.p90, r.gap.min, r.gap.max, r.gap.iqr, r.kernelsMin, r.kernelsMax, r.kernelsMedian,
           r.memopsMedian, r.memopTimeMedian);
  sqlite::Statement total =
      db.prepare(insertInto("gap_total", "run_id, implementation, cause, count, time_ns, iterations", 6));
  for (std::size_t cause = 0; cause < r.gaps.size(); ++cause)
    total.run(run, index, opscope::nameOf(static_cast<GapCause>(cause)), r.gaps[cause].count,
              r.gaps[cause].time, r.gaps[cause].iterations);
}

// The id that a record's correlation id carried, and the iteration that it names, for queries: the records of
// `external_id` alone are what is read back.
struct Label {
  std::optional<std::uint64_t> externalId;
  std::optional<std::uint64_t> iteration;
};

class Labels {
 public:
  explicit Labels(const Trace& trace) : ids_(trace.externalIds), iterations_(trace.iterations.size()) {}
  Label operator[](std::uint32_t correlationId) const {
    const std::uint64_t id = ids_[correlationId];
    if (id == ExternalIds::kNone) return {};
    return {id, id < iterations_ ? std::optional(id) : std::nullopt};
  }

 private:
  ExternalIds ids_;
  std::size_t iterations_;
};

void writeTrace(sqlite::Database& db, std::int64_t pass, const Trace& trace) {
  const Labels labels(trace);
  sqlite::Statement name = db.prepare(insertInto("name", "pass_id, id, text", 3));
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) name.run(pass, i, trace.names.text(i));
  sqlite::Statement shape =
      db.prepare(insertInto("shape",
                            "pass_id, id, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers,"
                            "static_shared_bytes, dynamic_shared_bytes",
                            11));
  for (std::size_t i = 0; i < trace.shapes.size(); ++i) {
    const LaunchShape& s = trace.shapes[i];
    shape.run(pass, i, s.gridX, s.gridY, s.gridZ, s.blockX, s.blockY, s.blockZ, s.registersPerThread,
              s.staticSharedBytes, s.dynamicSharedBytes);
  }
  sqlite::Statement iteration =
      db.prepare(insertInto("iteration", "pass_id, iteration, called_ns, issued_ns, drained_ns", 5));
  for (std::size_t i = 0; i < trace.iterations.size(); ++i)
    iteration.run(pass, i, trace.iterations[i].called, trace.iterations[i].issued,
                  trace.iterations[i].drained);
  sqlite::Statement ping = db.prepare(insertInto("ping", "pass_id, idx, seen_running_ns, released_ns", 4));
  for (std::size_t i = 0; i < trace.pings.size(); ++i)
    ping.run(pass, i, trace.pings[i].seenRunning, trace.pings[i].released);
  sqlite::Statement kernel =
      db.prepare(insertInto("kernel",
                            "pass_id, idx, start_ns, end_ns, queued_ns, name_id, shape_id, stream_id,"
                            "correlation_id, graph_id, graph_node_id, device_id, external_id, iteration",
                            14));
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    const KernelRecord& k = trace.kernels[i];
    const Label label = labels[k.correlationId];
    kernel.run(pass, i, k.start, k.end, k.queued, k.nameId, k.shapeId, k.streamId, k.correlationId, k.graphId,
               k.graphNodeId, k.deviceId, label.externalId, label.iteration);
  }
  sqlite::Statement memop = db.prepare(
      insertInto("memop",
                 "pass_id, idx, start_ns, end_ns, bytes, kind, stream_id, correlation_id, graph_id,"
                 "device_id, external_id, iteration",
                 12));
  for (std::size_t i = 0; i < trace.memops.size(); ++i) {
    const MemopRecord& m = trace.memops[i];
    const Label label = labels[m.correlationId];
    memop.run(pass, i, m.start, m.end, m.bytes, opscope::nameOf(m.kind), m.streamId, m.correlationId,
              m.graphId, m.deviceId, label.externalId, label.iteration);
  }
  sqlite::Statement launch =
      db.prepare(insertInto("launch",
                            "pass_id, idx, start_ns, end_ns, kind, api_name_id, thread_id, correlation_id,"
                            "external_id, iteration",
                            10));
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const LaunchRecord& l = trace.launches[i];
    const Label label = labels[l.correlationId];
    launch.run(pass, i, l.start, l.end, opscope::nameOf(l.kind), l.apiNameId, l.threadId, l.correlationId,
               label.externalId, label.iteration);
  }
  sqlite::Statement overhead =
      db.prepare(insertInto("overhead", "pass_id, idx, start_ns, end_ns, name_id, thread_id", 6));
  for (std::size_t i = 0; i < trace.overheads.size(); ++i) {
    const OverheadRecord& o = trace.overheads[i];
    overhead.run(pass, i, o.start, o.end, o.nameId, o.threadId);
  }
  writeRanges(db, pass, trace);
  sqlite::Statement external =
      db.prepare(insertInto("external_id", "pass_id, idx, correlation_id, external_id", 4));
  for (std::size_t i = 0; i < trace.externalIds.size(); ++i)
    external.run(pass, i, trace.externalIds[i].correlationId, trace.externalIds[i].externalId);
}

// The tables whose rows belong to a pass (pass_id) or to a run (run_id). Asked of the file: a list here would
// forget the next table.
std::vector<std::string> tablesWith(sqlite::Database& db, std::string_view column) {
  std::vector<std::string> tables;
  sqlite::Statement row = db.prepare(
      "SELECT m.name FROM sqlite_master AS m JOIN pragma_table_xinfo(m.name) AS c WHERE m.type = 'table' AND "
      "c.name = ?");
  row.bindAll(column);
  while (row.step()) tables.push_back(row.text(0));
  return tables;
}

}  // namespace

void deleteRunRows(sqlite::Database& db, std::int64_t id) {
  const std::vector<std::string> ofPasses = tablesWith(db, "pass_id");
  for (const std::string& table : tablesWith(db, "run_id")) {
    if (table == "pass" || std::find(ofPasses.begin(), ofPasses.end(), table) != ofPasses.end()) continue;
    db.prepare(fmt::format("DELETE FROM {} WHERE run_id = ?", table)).run(id);
  }
}

void writeRunRows(sqlite::Database& db, std::int64_t id, const Run& run, bool complete) {
  db.prepare(
        "INSERT OR REPLACE INTO run (id, op, family, workload, dtype, flops, bytes, device_id, device_name,"
        "figures, method, l2, timestamp_tick_ns, seed, blocks, started_unix_ns, finished_unix_ns, cancelled,"
        "complete, note) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .run(id, run.op, run.family, run.workload, run.dtype, run.flops, run.bytes, run.deviceId,
           run.deviceName, run.figures, run.method, run.l2, run.timestampTick, run.seed, run.blocks,
           run.startedUnixNs, run.finishedUnixNs, run.cancelled, complete, run.note);
  sqlite::Statement environment = db.prepare(insertInto("environment", "run_id, name, value", 3));
  for (const auto& [name, value] : run.environment) environment.run(id, name, value);
  sqlite::Statement dimension = db.prepare(insertInto("dimension", "run_id, name, value", 3));
  for (const auto& [name, value] : run.dims) dimension.run(id, name, value);
  sqlite::Statement param = db.prepare(insertInto("param", "run_id, name, value", 3));
  for (const auto& [name, value] : run.params) param.run(id, name, value);
  for (std::size_t i = 0; i < run.implementations.size(); ++i)
    writeImplementation(db, id, i, run.implementations[i]);
  if (complete) writeControlRows(db, id, run);  // they point at passes
  sqlite::Statement finding = db.prepare(insertInto(
      "finding", "run_id, idx, severity, rule, sentence, implementation, pass, iteration, gap", 9));
  for (std::size_t i = 0; i < run.findings.size(); ++i) {
    const Finding& f = run.findings[i];
    const std::string_view severity = f.severity == Finding::Severity::Warning ? "warning" : "note";
    finding.run(id, i, severity, f.rule, f.sentence, orNull(f.implementation), orNull(f.pass),
                orNull(f.iteration), orNull(f.gap));
  }
  writeRunEvidence(db, id, run);
  writeCounters(db, id, run);
  writeComparison(db, id, run);
  writeCeilings(db, id, run);
}

void writePass(sqlite::Database& db, std::int64_t run, const Pass& p) {
  const FailureColumns f(p.failure);
  db.prepare(insertInto("pass",
                        "run_id, block, pass, position, implementation, method, l2, warmups, attempts,"
                        "buffer_bytes, started_unix_ns, finished_unix_ns, loop_wall_ns, dropped,"
                        "drop_counter_proven, clock_known, launch_latency_ns, clock_offset_low_ns, "
                        "clock_offset_high_ns, one_clock, failure,"
                        "failure_message, failure_remedy, failure_file, failure_line, failure_column",
                        26))
      .run(run, p.block, p.pass, p.position, p.implementation, p.method, p.l2, p.warmups, p.attempts,
           p.bufferBytes, p.startedUnixNs, p.finishedUnixNs, p.loopWall, p.trace.dropped.records,
           p.trace.dropped.proven, p.clock.known, p.clock.launchLatency, p.clock.offsetLow,
           p.clock.offsetHigh, p.trace.oneClock, f.code, f.message, f.remedy, f.file, f.line, f.column);
  const std::int64_t pass = db.lastRowId();
  markControlPass(db, run, pass, p);
  sqlite::Statement telemetry =
      db.prepare(insertInto("telemetry",
                            "pass_id, idx, at_ns, sm_clock_mhz, memory_clock_mhz, temperature_c, power_mw,"
                            "throttle_reasons",
                            8));
  for (std::size_t i = 0; i < p.telemetry.size(); ++i) {
    const TelemetrySample& t = p.telemetry[i];
    telemetry.run(pass, i, t.at, t.smClockMhz, t.memoryClockMhz, t.temperatureC, t.powerMilliwatt,
                  t.throttleReasons);
  }
  writeDeviceUse(db, pass, p);
  writeKept(db, pass, p);
  writeTrace(db, pass, p.trace);
  sqlite::Statement sample = db.prepare(
      insertInto("sample", "pass_id, iteration, busy_ns, latency_ns, n_kernels, n_memops, memop_time_ns", 7));
  for (std::size_t i = 0; i < p.samples.size(); ++i) {
    const Sample& s = p.samples[i];
    sample.run(pass, i, s.busy, s.latency, s.kernels, s.memops, s.memopTime);
  }
  sqlite::Statement gap =
      db.prepare(insertInto("gap",
                            "pass_id, idx, iteration, start_ns, end_ns, copy_ns, host_ns, instrument_ns,"
                            "device_ns, entered_ns, issued_ns, before_kernel, after_kernel, cause, one_cause,"
                            "other_cause",
                            16));
  for (std::size_t i = 0; i < p.gaps.size(); ++i) {
    const Gap& g = p.gaps[i];
    gap.run(pass, i, g.iteration, g.start, g.end, g.copy, g.host, g.instrument, g.device, g.entered, g.issued,
            g.before, g.after, opscope::nameOf(g.cause), orNull(g.oneCause), orNull(g.otherCause));
  }
}

void deletePasses(sqlite::Database& db, const std::string& which) {
  for (const std::string& table : tablesWith(db, "pass_id"))
    db.execute(fmt::format("DELETE FROM {} WHERE pass_id IN ({})", table, which));
  db.execute(fmt::format("DELETE FROM pass WHERE id IN ({})", which));
}

}  // namespace opscope
