// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>

#include "session/control_rows.h"
#include "session/kept.h"
#include "session/pack.h"
#include "session/schema.h"
#include "session/session_file.h"
#include "session/session_reader.h"
#include "session/store.h"
#include "session/store_ceilings.h"
#include "session/store_comparison.h"
#include "session/store_counters.h"
#include "session/store_evidence.h"
#include "session/store_kept.h"
#include "session/store_ranges.h"
#include "session/stored_summary.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

// What a view will use as an index must lie inside what it indexes: a file is input, and damage must end
// here.
class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file), db_(openSessionForReading(file)) {
    requireSessionSchema(db_, file);
  }

  /// A packed run, whose passes came another way.
  Reader(std::span<const std::byte> packed, std::vector<std::shared_ptr<const Pass>> passes)
      : file_("A run from an engine"),
        db_(sqlite::Database::readingFrom(packed)),
        passes_(std::move(passes)) {
    requireSessionSchema(db_, file_);
  }

  /// From here on the file is as it is, even while another program adds to it.
  std::vector<std::int64_t> begin();
  std::shared_ptr<const Run> readRun(std::int64_t id, const SessionReader::TakePass& take = {});
  std::shared_ptr<const Run> packedRun() { return readRun(1); }

 private:
  [[noreturn]] void damaged(const std::string& what) const {
    throw CannotRead(fmt::format("{} is damaged: {}", file_.string(), what),
                     "Restore it from a copy, or measure again.");
  }
  void require(bool holds, const char* what) const {
    if (!holds) damaged(what);
  }
  // Rows that are numbered from 0 without a hole.
  void requireNumber(std::int64_t number, std::size_t expected, const char* table) const {
    if (number != static_cast<std::int64_t>(expected))
      damaged(fmt::format("row {} of table {} is missing", expected, table));
  }
  std::uint32_t count32(const sqlite::Statement& row, int column) const {
    const std::int64_t value = row.integer(column);
    require(value >= 0 && value <= std::numeric_limits<std::uint32_t>::max(), "a count is out of range");
    return static_cast<std::uint32_t>(value);
  }

  // What a finding may point into: of each pass, whatever stands for it in the run.
  struct PassSizes {
    std::size_t iterations = 0;
    std::size_t gaps = 0;
  };

  void readImplementations(std::int64_t id, Run& run);
  std::vector<PassSizes> readPasses(std::int64_t id, Run& run, const SessionReader::TakePass& take);
  void readFindings(std::int64_t id, Run& run, const std::vector<PassSizes>& passes);
  std::shared_ptr<const Pass> readPass(std::int64_t id, const Run& run);
  void readNames(std::int64_t pass, Trace& trace);
  void readTrace(std::int64_t pass, Trace& trace);
  void readSamples(std::int64_t id, Pass& pass);
  void readTelemetry(std::int64_t id, Pass& pass);
  std::optional<ErrorInfo> failureAt(const sqlite::Statement& row, int column) const;
  std::int32_t indexOrNone(const sqlite::Statement& row, int column) const;

  fs::path file_;
  sqlite::Database db_;
  std::vector<std::shared_ptr<const Pass>> passes_;  // of the packed run
};

std::optional<ErrorInfo> Reader::failureAt(const sqlite::Statement& row, int column) const {
  if (row.isNull(column)) return std::nullopt;
  return ErrorInfo{
      errorCodeFromName(row.view(column)),
      row.text(column + 1),
      row.text(column + 2),
      {row.text(column + 3), static_cast<int>(row.integer(column + 4)),
       static_cast<int>(row.integer(column + 5))},
  };
}

std::int32_t Reader::indexOrNone(const sqlite::Statement& row, int column) const {
  if (row.isNull(column)) return -1;
  const std::int64_t value = row.integer(column);
  require(value >= 0 && value <= std::numeric_limits<std::int32_t>::max(),
          "a finding points at nothing that can be");
  return static_cast<std::int32_t>(value);
}

VerificationRecord::State verificationState(std::string_view text) {
  if (text == "passed") return VerificationRecord::State::Passed;
  if (text == "failed") return VerificationRecord::State::Failed;
  return VerificationRecord::State::NotChecked;
}

GapCause causeAt(const sqlite::Statement& row, int column) {
  return row.isNull(column) ? GapCause::Undecided : gapCauseFromName(row.view(column));
}

void Reader::readImplementations(std::int64_t id, Run& run) {
  sqlite::Statement row = db_.prepare(
      "SELECT idx, name, doc, verification, compared, elements, tolerance, worst, worst_at, failure,"
      "failure_message, failure_remedy, failure_file, failure_line, failure_column, iteration_cost_ns, "
      "busy_n,"
      "busy_median_ns, busy_p10_ns, busy_p90_ns, busy_min_ns, busy_max_ns, busy_iqr_ns, latency_n,"
      "latency_median_ns, latency_p10_ns, latency_p90_ns, latency_min_ns, latency_max_ns, latency_iqr_ns,"
      "gap_n, gap_median_ns, gap_p10_ns, gap_p90_ns, gap_min_ns, gap_max_ns, gap_iqr_ns, kernels_min,"
      "kernels_max, kernels_median, memops_median, memop_time_median_ns FROM implementation WHERE run_id = ? "
      "ORDER BY idx");
  row.bindAll(id);
  while (row.step()) {
    requireNumber(row.integer(0), run.implementations.size(), "implementation");
    ImplementationResult r;
    r.name = row.text(1);
    r.doc = row.text(2);
    r.verification = {verificationState(row.view(3)),
                      row.integer(4),
                      row.integer(5),
                      row.real(6),
                      row.real(7),
                      row.text(8)};
    r.failure = failureAt(row, 9);
    r.iterationCost = row.integer(15);
    r.busy = summaryAt(row, 16);
    r.latency = summaryAt(row, 23);
    r.gap = summaryAt(row, 30);
    r.kernelsMin = count32(row, 37);
    r.kernelsMax = count32(row, 38);
    r.kernelsMedian = row.real(39);
    r.memopsMedian = row.real(40);
    r.memopTimeMedian = row.integer(41);
    run.implementations.push_back(std::move(r));
  }
  sqlite::Statement total =
      db_.prepare("SELECT implementation, cause, count, time_ns, iterations FROM gap_total WHERE run_id = ?");
  total.bindAll(id);
  while (total.step()) {
    const auto implementation = static_cast<std::size_t>(total.integer(0));
    require(implementation < run.implementations.size(), "a gap belongs to no implementation");
    GapTotals& gaps = run.implementations[implementation].gaps;
    gaps.resize(kGapCauses);
    const auto cause = static_cast<std::size_t>(gapCauseFromName(total.view(1)));
    gaps.at(cause) = {total.as<std::uint64_t>(2), total.integer(3), count32(total, 4)};
  }
}

void Reader::readFindings(std::int64_t id, Run& run, const std::vector<PassSizes>& passes) {
  sqlite::Statement row = db_.prepare(
      "SELECT severity, rule, sentence, implementation, pass, iteration, gap FROM finding WHERE run_id = ? "
      "ORDER BY idx");
  row.bindAll(id);
  while (row.step()) {
    Finding f;
    f.severity = row.view(0) == "warning" ? Finding::Severity::Warning : Finding::Severity::Note;
    f.rule = row.text(1);
    f.sentence = row.text(2);
    f.implementation = indexOrNone(row, 3);
    f.pass = indexOrNone(row, 4);
    f.iteration = indexOrNone(row, 5);
    f.gap = indexOrNone(row, 6);
    const auto inside = [](std::int32_t index, std::size_t size) {
      return index < 0 || static_cast<std::size_t>(index) < size;
    };
    require(inside(f.implementation, run.implementations.size()) && inside(f.pass, passes.size()),
            "a finding points at an implementation or pass that is not there");
    if (f.pass >= 0) {
      const PassSizes& pass = passes[static_cast<std::size_t>(f.pass)];
      require(inside(f.iteration, pass.iterations) && inside(f.gap, pass.gaps),
              "a finding points at an iteration or gap that is not there");
    }
    run.findings.push_back(std::move(f));
  }
}

void Reader::readNames(std::int64_t pass, Trace& trace) {
  sqlite::Statement name = db_.prepare("SELECT id, text FROM name WHERE pass_id = ? ORDER BY id");
  name.bindAll(pass);
  while (name.step()) {
    const std::size_t expected = trace.names.size();
    requireNumber(name.integer(0), expected, "name");
    require(trace.names.intern(name.view(1)) == expected, "a name stands twice in it");
  }
  sqlite::Statement shape = db_.prepare(
      "SELECT id, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, static_shared_bytes,"
      "dynamic_shared_bytes FROM shape WHERE pass_id = ? ORDER BY id");
  shape.bindAll(pass);
  while (shape.step()) {
    requireNumber(shape.integer(0), trace.shapes.size(), "shape");
    trace.shapes.push_back({count32(shape, 1), count32(shape, 2), count32(shape, 3), count32(shape, 4),
                            count32(shape, 5), count32(shape, 6), count32(shape, 7), count32(shape, 8),
                            count32(shape, 9)});
  }
}

void Reader::readTrace(std::int64_t pass, Trace& trace) {
  readNames(pass, trace);
  sqlite::Statement mark = db_.prepare(
      "SELECT iteration, called_ns, issued_ns, drained_ns FROM iteration WHERE pass_id = ? ORDER BY "
      "iteration");
  mark.bindAll(pass);
  while (mark.step()) {
    requireNumber(mark.integer(0), trace.iterations.size(), "iteration");
    trace.iterations.push_back({mark.integer(1), mark.integer(2), mark.integer(3)});
  }
  sqlite::Statement ping =
      db_.prepare("SELECT seen_running_ns, released_ns FROM ping WHERE pass_id = ? ORDER BY idx");
  ping.bindAll(pass);
  while (ping.step()) trace.pings.push_back({ping.integer(0), ping.integer(1)});
  sqlite::Statement kernel = db_.prepare(
      "SELECT idx, start_ns, end_ns, queued_ns, name_id, shape_id, stream_id, correlation_id, graph_id,"
      "graph_node_id, device_id FROM kernel WHERE pass_id = ? ORDER BY idx");
  kernel.bindAll(pass);
  const std::size_t names = trace.names.size();
  const std::size_t shapes = trace.shapes.size();
  while (kernel.step()) {
    requireNumber(kernel.integer(0), trace.kernels.size(), "kernel");
    KernelRecord k;
    k.start = kernel.integer(1);
    k.end = kernel.integer(2);
    k.queued = kernel.integer(3);
    k.nameId = kernel.as<std::uint32_t>(4);
    k.shapeId = kernel.as<std::uint32_t>(5);
    k.streamId = kernel.as<std::uint32_t>(6);
    k.correlationId = kernel.as<std::uint32_t>(7);
    k.graphId = kernel.as<std::uint32_t>(8);
    k.graphNodeId = kernel.as<std::uint64_t>(9);
    k.deviceId = kernel.as<std::uint32_t>(10);
    require(k.nameId < names && k.shapeId < shapes, "a kernel without a name or launch shape");
    trace.kernels.push_back(k);
  }
  sqlite::Statement memop = db_.prepare(
      "SELECT idx, start_ns, end_ns, bytes, kind, stream_id, correlation_id, graph_id, device_id FROM memop "
      "WHERE pass_id = ? ORDER BY idx");
  memop.bindAll(pass);
  while (memop.step()) {
    requireNumber(memop.integer(0), trace.memops.size(), "memop");
    trace.memops.push_back({memop.integer(1), memop.integer(2), memop.integer(3), memop.as<std::uint32_t>(6),
                            memop.as<std::uint32_t>(5), memop.as<std::uint32_t>(7),
                            memop.as<std::uint32_t>(8), memopKindFromName(memop.view(4))});
  }
  sqlite::Statement launch = db_.prepare(
      "SELECT idx, start_ns, end_ns, kind, api_name_id, thread_id, correlation_id FROM launch "
      "WHERE pass_id = ? ORDER BY idx");
  launch.bindAll(pass);
  while (launch.step()) {
    requireNumber(launch.integer(0), trace.launches.size(), "launch");
    trace.launches.push_back({launch.integer(1), launch.integer(2), launch.as<std::uint32_t>(6),
                              launch.as<std::uint32_t>(5), launch.as<std::uint32_t>(4),
                              launchKindFromName(launch.view(3))});
  }
  sqlite::Statement overhead = db_.prepare(
      "SELECT idx, start_ns, end_ns, name_id, thread_id FROM overhead WHERE pass_id = ? ORDER BY idx");
  overhead.bindAll(pass);
  while (overhead.step()) {
    requireNumber(overhead.integer(0), trace.overheads.size(), "overhead");
    trace.overheads.push_back({overhead.integer(1), overhead.integer(2), overhead.as<std::uint32_t>(3),
                               overhead.as<std::uint32_t>(4)});
  }
  sqlite::Statement external =
      db_.prepare("SELECT idx, external_id, correlation_id FROM external_id WHERE pass_id = ? ORDER BY idx");
  external.bindAll(pass);
  while (external.step()) {
    requireNumber(external.integer(0), trace.externalIds.size(), "external_id");
    trace.externalIds.push_back({external.as<std::uint64_t>(1), external.as<std::uint32_t>(2)});
  }
}

void Reader::readSamples(std::int64_t id, Pass& pass) {
  sqlite::Statement sample = db_.prepare(
      "SELECT iteration, busy_ns, latency_ns, n_kernels, n_memops, memop_time_ns FROM sample "
      "WHERE pass_id = ? ORDER BY iteration");
  sample.bindAll(id);
  while (sample.step()) {
    requireNumber(sample.integer(0), pass.samples.size(), "sample");
    pass.samples.push_back(
        {sample.integer(1), sample.integer(2), count32(sample, 3), count32(sample, 4), sample.integer(5)});
  }
  require(pass.samples.empty() || pass.samples.size() == pass.trace.iterations.size(),
          "a pass has samples for some of its iterations only");
  sqlite::Statement gap = db_.prepare(
      "SELECT idx, start_ns, end_ns, copy_ns, host_ns, instrument_ns, device_ns, entered_ns, issued_ns,"
      "iteration, before_kernel, after_kernel, cause, other_cause, one_cause FROM gap WHERE pass_id = ? "
      "ORDER BY idx");
  gap.bindAll(id);
  while (gap.step()) {
    requireNumber(gap.integer(0), pass.gaps.size(), "gap");
    const Gap g{gap.integer(1),   gap.integer(2),   gap.integer(3),   gap.integer(4),  gap.integer(5),
                gap.integer(6),   gap.integer(7),   gap.integer(8),   count32(gap, 9), count32(gap, 10),
                count32(gap, 11), causeAt(gap, 12), causeAt(gap, 13), causeAt(gap, 14)};
    require(g.iteration < pass.trace.iterations.size() && g.before < pass.trace.kernels.size() &&
                g.after < pass.trace.kernels.size(),
            "a gap lies between kernels that are not there");
    pass.gaps.push_back(g);
  }
}

void Reader::readTelemetry(std::int64_t id, Pass& pass) {
  sqlite::Statement row = db_.prepare(
      "SELECT at_ns, sm_clock_mhz, memory_clock_mhz, temperature_c, power_mw, throttle_reasons FROM "
      "telemetry "
      "WHERE pass_id = ? ORDER BY idx");
  row.bindAll(id);
  while (row.step())
    pass.telemetry.push_back({row.integer(0), row.optional<int>(1), row.optional<int>(2),
                              row.optional<int>(3), row.optional<int>(4), row.optional<std::uint64_t>(5)});
}

std::shared_ptr<const Pass> Reader::readPass(std::int64_t id, const Run& run) {
  sqlite::Statement row = db_.prepare(
      "SELECT block, pass, position, implementation, method, l2, warmups, attempts, buffer_bytes,"
      "started_unix_ns, finished_unix_ns, loop_wall_ns, dropped, drop_counter_proven, clock_known,"
      "launch_latency_ns, clock_offset_low_ns, clock_offset_high_ns, one_clock, failure, failure_message, "
      "failure_remedy, failure_file,"
      "failure_line, failure_column FROM pass WHERE id = ?");
  row.bindAll(id);
  require(row.step(), "a pass is missing");
  auto pass = std::make_shared<Pass>();
  pass->block = count32(row, 0);
  pass->pass = count32(row, 1);
  pass->position = count32(row, 2);
  pass->implementation = count32(row, 3);
  require(pass->implementation < run.implementations.size(), "a pass belongs to no implementation");
  pass->method = row.text(4);
  pass->l2 = row.text(5);
  pass->warmups = count32(row, 6);
  pass->attempts = count32(row, 7);
  pass->bufferBytes = row.integer(8);
  pass->startedUnixNs = row.integer(9);
  pass->finishedUnixNs = row.integer(10);
  pass->loopWall = row.integer(11);
  pass->trace.dropped = {row.integer(13) != 0, row.as<std::uint64_t>(12)};
  pass->clock = {row.integer(15), row.integer(16), row.integer(17), row.integer(14) != 0};
  pass->trace.oneClock = row.integer(18) != 0;
  pass->failure = failureAt(row, 19);
  pass->control = controlOfPass(db_, id);
  if (const std::string wrong = readKept(db_, id, *pass); !wrong.empty()) damaged(wrong);
  readTrace(id, pass->trace);
  if (const std::string wrong = readRanges(db_, id, pass->trace); !wrong.empty()) damaged(wrong);
  readSamples(id, *pass);
  readTelemetry(id, *pass);
  readDeviceUse(db_, id, *pass);
  return pass;
}

template <class Value, class Get>
std::map<std::string, Value> readMap(sqlite::Database& db, const char* table, std::int64_t run, Get get) {
  std::map<std::string, Value> values;
  sqlite::Statement row = db.prepare(fmt::format("SELECT name, value FROM {} WHERE run_id = ?", table));
  row.bindAll(run);
  while (row.step()) values[row.text(0)] = get(row);
  return values;
}

std::vector<Reader::PassSizes> Reader::readPasses(std::int64_t id, Run& run,
                                                  const SessionReader::TakePass& take) {
  std::vector<std::int64_t> rows;
  sqlite::Statement row = db_.prepare("SELECT id FROM pass WHERE run_id = ? ORDER BY id");
  row.bindAll(id);
  while (row.step()) rows.push_back(row.integer(0));
  std::vector<PassSizes> sizes;
  const auto add = [&](std::shared_ptr<const Pass> pass) {
    const bool counts = pass->control.empty();
    if (counts) sizes.push_back({pass->trace.iterations.size(), pass->gaps.size()});
    if (take) pass = take(run, std::move(pass));
    (counts ? run.passes : run.controls).push_back(std::move(pass));
  };
  for (const std::int64_t pass : rows) add(readPass(pass, run));
  for (std::shared_ptr<const Pass>& given : passes_) {
    require(given->implementation < run.implementations.size(), "a pass belongs to no implementation");
    add(std::move(given));
  }
  return sizes;
}

std::shared_ptr<const Run> Reader::readRun(std::int64_t id, const SessionReader::TakePass& take) {
  sqlite::Statement row = db_.prepare(
      "SELECT op, family, workload, dtype, flops, bytes, device_id, device_name, figures, method, l2,"
      "timestamp_tick_ns, seed, blocks, started_unix_ns, finished_unix_ns, cancelled, note, complete FROM "
      "run "
      "WHERE id = ?");
  row.bindAll(id);
  require(row.step(), "a run is missing");
  auto run = std::make_shared<Run>();
  run->op = row.text(0);
  run->family = row.text(1);
  run->workload = row.text(2);
  run->dtype = row.text(3);
  run->flops = row.real(4);
  run->bytes = row.real(5);
  run->deviceId = row.text(6);
  run->deviceName = row.text(7);
  run->figures = row.text(8);
  run->method = row.text(9);
  run->l2 = row.text(10);
  run->timestampTick = row.integer(11);
  run->seed = row.as<std::uint64_t>(12);
  run->blocks = count32(row, 13);
  run->startedUnixNs = row.integer(14);
  run->finishedUnixNs = row.integer(15);
  run->note = row.text(17);
  const bool complete = row.integer(18) != 0;
  run->cancelled = row.integer(16) != 0 || !complete;
  row.reset();
  run->environment = readMap<std::string>(db_, "environment", id, [](auto& r) { return r.text(1); });
  run->dims = readMap<std::int64_t>(db_, "dimension", id, [](auto& r) { return r.integer(1); });
  run->params = readMap<double>(db_, "param", id, [](auto& r) { return r.real(1); });
  readImplementations(id, *run);
  const std::vector<PassSizes> passes = readPasses(id, *run, take);
  if (const std::string wrong = readControlRows(db_, id, *run); !wrong.empty()) damaged(wrong);
  readFindings(id, *run, passes);
  require(readRunEvidence(db_, id, *run), "evidence belongs to no finding");
  readCounters(db_, id, *run, [this](const std::string& what) { damaged(what); });
  readCeilings(db_, id, *run);
  require(readComparison(db_, id, *run), "a comparison names an implementation that is not there");
  if (!complete) {
    // The program ended in the middle of this run. Its passes are whole, its results were never written.
    if (run->note.empty())
      run->note = "The program ended before this run did: these are the passes it had finished.";
    summariseRun(*run);
    if (keptOf(*run) == RecordsKept::None && !run->passes.empty())
      run->note +=
          " Their iterations were not kept (--records none), so there are no numbers over all passes.";
  }
  return run;
}

std::vector<std::int64_t> Reader::begin() {
  db_.execute("BEGIN");  // its first question fixes the state; it ends with the connection
  std::vector<std::int64_t> rows;
  sqlite::Statement row = db_.prepare("SELECT id FROM run ORDER BY id");
  while (row.step()) rows.push_back(row.integer(0));
  return rows;
}

template <class Work>
auto readingOf(const fs::path& file, Work work) {
  try {
    return work();
  } catch (const sqlite::Failure& failure) {
    if ((failure.code() & 0xff) == SQLITE_BUSY)
      throw CannotRead(fmt::format("Cannot read {}: another program keeps it locked", file.string()),
                       "Close it there.");
    throw CannotRead(fmt::format("Cannot read {}: {}", file.string(), failure.what()),
                     "The file is damaged or incomplete: restore it from a copy, or measure again.");
  }
}

}  // namespace

struct SessionReader::Impl {
  explicit Impl(const fs::path& path) : file(path), reader(path), rows(reader.begin()) {}
  fs::path file;
  Reader reader;
  std::vector<std::int64_t> rows;
};

SessionReader::SessionReader(const fs::path& file)
    : impl_(readingOf(file, [&] { return std::make_unique<Impl>(file); })) {}

SessionReader::~SessionReader() = default;

const std::vector<std::int64_t>& SessionReader::rows() const {
  return impl_->rows;
}

std::shared_ptr<const Run> SessionReader::read(std::int64_t row, const TakePass& take) {
  return readingOf(impl_->file, [&] { return impl_->reader.readRun(row, take); });
}

Session readSession(const fs::path& file) {
  SessionReader reader(file);
  Session session{.file = file, .readOnly = !canWriteSession(file), .runs = {}, .rows = reader.rows()};
  for (const std::int64_t row : session.rows) session.runs.push_back(reader.read(row));
  return session;
}

std::shared_ptr<const Run> unpackRun(std::span<const std::byte> bytes,
                                     std::vector<std::shared_ptr<const Pass>> passes) {
  try {
    return Reader(bytes, std::move(passes)).packedRun();
  } catch (const sqlite::Failure& failure) {
    throw CannotRead(fmt::format("A run from an engine cannot be read: {}", failure.what()));
  }
}

}  // namespace opscope
