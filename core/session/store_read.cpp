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
#include "session/store_pass.h"
#include "session/stored_rows.h"
#include "session/stored_summary.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPacked = "A run from an engine";

class Reader {
 public:
  explicit Reader(const fs::path& file) : stored_(file), db_(openSessionForReading(file)) {
    requireSessionSchema(db_, file);
  }

  /// A packed run, whose passes came another way.
  Reader(std::span<const std::byte> packed, std::vector<std::shared_ptr<const Pass>> passes)
      : stored_(kPacked), db_(sqlite::Database::readingFrom(packed)), passes_(std::move(passes)) {
    requireSessionSchema(db_, kPacked);
  }

  /// From here on the file is as it is, even while another program adds to it.
  std::vector<std::int64_t> begin();
  std::shared_ptr<const Run> readRun(std::int64_t id, const SessionReader::TakePass& take = {});
  std::shared_ptr<const Run> packedRun() { return readRun(1); }

 private:
  // What a finding may point into: of each pass, whatever stands for it in the run.
  struct PassSizes {
    std::size_t iterations = 0;
    std::size_t gaps = 0;
  };

  void readImplementations(std::int64_t id, Run& run);
  std::vector<PassSizes> readPasses(std::int64_t id, Run& run, const SessionReader::TakePass& take);
  void readFindings(std::int64_t id, Run& run, const std::vector<PassSizes>& passes);
  std::int32_t indexOrNone(const sqlite::Statement& row, int column) const;

  StoredRows stored_;
  sqlite::Database db_;
  std::vector<std::shared_ptr<const Pass>> passes_;  // of the packed run
};

std::int32_t Reader::indexOrNone(const sqlite::Statement& row, int column) const {
  if (row.isNull(column)) return -1;
  const std::int64_t value = row.integer(column);
  stored_.require(value >= 0 && value <= std::numeric_limits<std::int32_t>::max(),
                  "a finding points at nothing that can be");
  return static_cast<std::int32_t>(value);
}

VerificationRecord::State verificationState(std::string_view text) {
  if (text == "passed") return VerificationRecord::State::Passed;
  if (text == "failed") return VerificationRecord::State::Failed;
  return VerificationRecord::State::NotChecked;
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
    stored_.requireNumber(row.integer(0), run.implementations.size(), "implementation");
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
    r.kernelsMin = stored_.count32(row, 37);
    r.kernelsMax = stored_.count32(row, 38);
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
    stored_.require(implementation < run.implementations.size(), "a gap belongs to no implementation");
    GapTotals& gaps = run.implementations[implementation].gaps;
    gaps.resize(kGapCauses);
    const auto cause = static_cast<std::size_t>(gapCauseFromName(total.view(1)));
    gaps.at(cause) = {total.as<std::uint64_t>(2), total.integer(3), stored_.count32(total, 4)};
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
    stored_.require(inside(f.implementation, run.implementations.size()) && inside(f.pass, passes.size()),
                    "a finding points at an implementation or pass that is not there");
    if (f.pass >= 0) {
      const PassSizes& pass = passes[static_cast<std::size_t>(f.pass)];
      stored_.require(inside(f.iteration, pass.iterations) && inside(f.gap, pass.gaps),
                      "a finding points at an iteration or gap that is not there");
    }
    run.findings.push_back(std::move(f));
  }
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
  for (const std::int64_t pass : rows) add(readPass(db_, stored_, pass, run));
  for (std::shared_ptr<const Pass>& given : passes_) {
    stored_.require(given->implementation < run.implementations.size(),
                    "a pass belongs to no implementation");
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
  stored_.require(row.step(), "a run is missing");
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
  run->blocks = stored_.count32(row, 13);
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
  if (const std::string wrong = readControlRows(db_, id, *run); !wrong.empty()) stored_.damaged(wrong);
  readFindings(id, *run, passes);
  stored_.require(readRunEvidence(db_, id, *run), "evidence belongs to no finding");
  readCounters(db_, id, *run, [this](const std::string& what) { stored_.damaged(what); });
  readCeilings(db_, id, *run);
  stored_.require(readComparison(db_, id, *run), "a comparison names an implementation that is not there");
  if (!complete) {
    // The program ended in the middle of this run. Its passes are whole, its results were never written.
    if (!run->note.empty()) run->note += ' ';
    run->note += "The program ended before this run did: these are the passes it had finished.";
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
