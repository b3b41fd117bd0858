// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <system_error>

#include "session/control_rows.h"
#include "session/kept.h"
#include "session/pack.h"
#include "session/schema.h"
#include "session/session_file.h"
#include "session/store.h"
#include "session/store_ceilings.h"
#include "session/store_comparison.h"
#include "session/store_counters.h"
#include "session/store_evidence.h"
#include "session/store_kept.h"
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

// Everything of a run but its row and its passes: what a run is said to be at its start is only completed at
// its end.
void deleteRunRows(sqlite::Database& db, std::int64_t id) {
  for (const char* table : {"environment",
                            "dimension",
                            "param",
                            "implementation",
                            "gap_total",
                            "finding",
                            "prequeued",
                            "prequeued_gap",
                            "tracing_cost",
                            "method",
                            "device_limit",
                            "finding_evidence",
                            "counter",
                            "counter_kernel",
                            "counter_reading",
                            "counter_refusal",
                            "settling",
                            "noise_floor",
                            "noise_floor_difference",
                            "comparison",
                            "comparison_ratio",
                            "comparison_block",
                            "pass_spread",
                            "ceilings",
                            "ceiling",
                            "ceiling_difference"})
    db.prepare(fmt::format("DELETE FROM {} WHERE run_id = ?", table)).run(id);
}

// Into tables that hold nothing of this run yet but its row and its passes.
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
  sqlite::Statement external =
      db.prepare(insertInto("external_id", "pass_id, idx, correlation_id, external_id", 4));
  for (std::size_t i = 0; i < trace.externalIds.size(); ++i)
    external.run(pass, i, trace.externalIds[i].correlationId, trace.externalIds[i].externalId);
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

// `which` selects their ids.
void deletePasses(sqlite::Database& db, const std::string& which) {
  for (const std::string& table : tablesWith(db, "pass_id"))
    db.execute(fmt::format("DELETE FROM {} WHERE pass_id IN ({})", table, which));
  db.execute(fmt::format("DELETE FROM pass WHERE id IN ({})", which));
}

// Where a new database may be made: nothing there, or a file without a byte in it.
bool isNew(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return true;
  return fs::is_regular_file(file, error) && fs::file_size(file, error) == 0;
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
    deletePasses(db, fmt::format("SELECT id FROM pass WHERE run_id = {}", run));
    for (const std::string& table : tablesWith(db, "run_id"))
      db.prepare(fmt::format("DELETE FROM {} WHERE run_id = ?", table)).run(run);
    db.prepare("DELETE FROM run WHERE id = ?").run(run);
    return true;
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
