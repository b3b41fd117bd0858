// SPDX-License-Identifier: Apache-2.0
#include "session/store_pass.h"

#include "session/control_rows.h"
#include "session/store_counters.h"
#include "session/store_kept.h"
#include "session/store_ranges.h"

namespace opscope {
namespace {

class PassReader {
 public:
  PassReader(sqlite::Database& db, const StoredRows& stored) : db_(db), stored_(stored) {}
  std::shared_ptr<const Pass> read(std::int64_t id, const Run& run);

 private:
  void readNames(std::int64_t pass, Trace& trace);
  void readTrace(std::int64_t pass, Trace& trace);
  void readSamples(std::int64_t id, Pass& pass);
  void readTelemetry(std::int64_t id, Pass& pass);

  sqlite::Database& db_;
  const StoredRows& stored_;
};

GapCause causeAt(const sqlite::Statement& row, int column) {
  return row.isNull(column) ? GapCause::Undecided : gapCauseFromName(row.view(column));
}

void PassReader::readNames(std::int64_t pass, Trace& trace) {
  sqlite::Statement name = db_.prepare("SELECT id, text FROM name WHERE pass_id = ? ORDER BY id");
  name.bindAll(pass);
  while (name.step()) {
    const std::size_t expected = trace.names.size();
    stored_.requireNumber(name.integer(0), expected, "name");
    stored_.require(trace.names.intern(name.view(1)) == expected, "a name stands twice in it");
  }
  sqlite::Statement shape = db_.prepare(
      "SELECT id, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, static_shared_bytes,"
      "dynamic_shared_bytes FROM shape WHERE pass_id = ? ORDER BY id");
  shape.bindAll(pass);
  while (shape.step()) {
    stored_.requireNumber(shape.integer(0), trace.shapes.size(), "shape");
    trace.shapes.push_back({stored_.count32(shape, 1), stored_.count32(shape, 2), stored_.count32(shape, 3),
                            stored_.count32(shape, 4), stored_.count32(shape, 5), stored_.count32(shape, 6),
                            stored_.count32(shape, 7), stored_.count32(shape, 8), stored_.count32(shape, 9)});
  }
}

void PassReader::readTrace(std::int64_t pass, Trace& trace) {
  readNames(pass, trace);
  sqlite::Statement mark = db_.prepare(
      "SELECT iteration, called_ns, issued_ns, drained_ns FROM iteration WHERE pass_id = ? ORDER BY "
      "iteration");
  mark.bindAll(pass);
  while (mark.step()) {
    stored_.requireNumber(mark.integer(0), trace.iterations.size(), "iteration");
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
    stored_.requireNumber(kernel.integer(0), trace.kernels.size(), "kernel");
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
    stored_.require(k.nameId < names && k.shapeId < shapes, "a kernel without a name or launch shape");
    trace.kernels.push_back(k);
  }
  sqlite::Statement memop = db_.prepare(
      "SELECT idx, start_ns, end_ns, bytes, kind, stream_id, correlation_id, graph_id, device_id FROM memop "
      "WHERE pass_id = ? ORDER BY idx");
  memop.bindAll(pass);
  while (memop.step()) {
    stored_.requireNumber(memop.integer(0), trace.memops.size(), "memop");
    trace.memops.push_back({memop.integer(1), memop.integer(2), memop.integer(3), memop.as<std::uint32_t>(6),
                            memop.as<std::uint32_t>(5), memop.as<std::uint32_t>(7),
                            memop.as<std::uint32_t>(8), memopKindFromName(memop.view(4))});
  }
  sqlite::Statement launch = db_.prepare(
      "SELECT idx, start_ns, end_ns, kind, api_name_id, thread_id, correlation_id FROM launch "
      "WHERE pass_id = ? ORDER BY idx");
  launch.bindAll(pass);
  while (launch.step()) {
    stored_.requireNumber(launch.integer(0), trace.launches.size(), "launch");
    trace.launches.push_back({launch.integer(1), launch.integer(2), launch.as<std::uint32_t>(6),
                              launch.as<std::uint32_t>(5), launch.as<std::uint32_t>(4),
                              launchKindFromName(launch.view(3))});
  }
  sqlite::Statement overhead = db_.prepare(
      "SELECT idx, start_ns, end_ns, name_id, thread_id FROM overhead WHERE pass_id = ? ORDER BY idx");
  overhead.bindAll(pass);
  while (overhead.step()) {
    stored_.requireNumber(overhead.integer(0), trace.overheads.size(), "overhead");
    trace.overheads.push_back({overhead.integer(1), overhead.integer(2), overhead.as<std::uint32_t>(3),
                               overhead.as<std::uint32_t>(4)});
  }
  sqlite::Statement external =
      db_.prepare("SELECT idx, external_id, correlation_id FROM external_id WHERE pass_id = ? ORDER BY idx");
  external.bindAll(pass);
  while (external.step()) {
    stored_.requireNumber(external.integer(0), trace.externalIds.size(), "external_id");
    trace.externalIds.push_back({external.as<std::uint64_t>(1), external.as<std::uint32_t>(2)});
  }
}

void PassReader::readSamples(std::int64_t id, Pass& pass) {
  sqlite::Statement sample = db_.prepare(
      "SELECT iteration, busy_ns, latency_ns, n_kernels, n_memops, memop_time_ns FROM sample "
      "WHERE pass_id = ? ORDER BY iteration");
  sample.bindAll(id);
  while (sample.step()) {
    stored_.requireNumber(sample.integer(0), pass.samples.size(), "sample");
    pass.samples.push_back({sample.integer(1), sample.integer(2), stored_.count32(sample, 3),
                            stored_.count32(sample, 4), sample.integer(5)});
  }
  stored_.require(pass.samples.empty() || pass.samples.size() == pass.trace.iterations.size(),
                  "a pass has samples for some of its iterations only");
  sqlite::Statement gap = db_.prepare(
      "SELECT idx, start_ns, end_ns, copy_ns, host_ns, instrument_ns, device_ns, entered_ns, issued_ns,"
      "iteration, before_kernel, after_kernel, cause, other_cause, one_cause FROM gap WHERE pass_id = ? "
      "ORDER BY idx");
  gap.bindAll(id);
  while (gap.step()) {
    stored_.requireNumber(gap.integer(0), pass.gaps.size(), "gap");
    const Gap g{gap.integer(1),          gap.integer(2),           gap.integer(3),           gap.integer(4),
                gap.integer(5),          gap.integer(6),           gap.integer(7),           gap.integer(8),
                stored_.count32(gap, 9), stored_.count32(gap, 10), stored_.count32(gap, 11), causeAt(gap, 12),
                causeAt(gap, 13),        causeAt(gap, 14)};
    stored_.require(g.iteration < pass.trace.iterations.size() && g.before < pass.trace.kernels.size() &&
                        g.after < pass.trace.kernels.size(),
                    "a gap lies between kernels that are not there");
    pass.gaps.push_back(g);
  }
}

void PassReader::readTelemetry(std::int64_t id, Pass& pass) {
  sqlite::Statement row = db_.prepare(
      "SELECT at_ns, sm_clock_mhz, memory_clock_mhz, temperature_c, power_mw, throttle_reasons FROM "
      "telemetry "
      "WHERE pass_id = ? ORDER BY idx");
  row.bindAll(id);
  while (row.step())
    pass.telemetry.push_back({row.integer(0), row.optional<int>(1), row.optional<int>(2),
                              row.optional<int>(3), row.optional<int>(4), row.optional<std::uint64_t>(5)});
}

std::shared_ptr<const Pass> PassReader::read(std::int64_t id, const Run& run) {
  sqlite::Statement row = db_.prepare(
      "SELECT block, pass, position, implementation, method, l2, warmups, attempts, buffer_bytes,"
      "started_unix_ns, finished_unix_ns, loop_wall_ns, dropped, drop_counter_proven, clock_known,"
      "launch_latency_ns, clock_offset_low_ns, clock_offset_high_ns, one_clock, failure, failure_message, "
      "failure_remedy, failure_file,"
      "failure_line, failure_column FROM pass WHERE id = ?");
  row.bindAll(id);
  stored_.require(row.step(), "a pass is missing");
  auto pass = std::make_shared<Pass>();
  pass->block = stored_.count32(row, 0);
  pass->pass = stored_.count32(row, 1);
  pass->position = stored_.count32(row, 2);
  pass->implementation = stored_.count32(row, 3);
  stored_.require(pass->implementation < run.implementations.size(), "a pass belongs to no implementation");
  pass->method = row.text(4);
  pass->l2 = row.text(5);
  pass->warmups = stored_.count32(row, 6);
  pass->attempts = stored_.count32(row, 7);
  pass->bufferBytes = row.integer(8);
  pass->startedUnixNs = row.integer(9);
  pass->finishedUnixNs = row.integer(10);
  pass->loopWall = row.integer(11);
  pass->trace.dropped = {row.integer(13) != 0, row.as<std::uint64_t>(12)};
  pass->clock = {row.integer(15), row.integer(16), row.integer(17), row.integer(14) != 0};
  pass->trace.oneClock = row.integer(18) != 0;
  pass->failure = failureAt(row, 19);
  pass->control = controlOfPass(db_, id);
  if (const std::string wrong = readKept(db_, id, *pass); !wrong.empty()) stored_.damaged(wrong);
  readTrace(id, pass->trace);
  if (const std::string wrong = readRanges(db_, id, pass->trace); !wrong.empty()) stored_.damaged(wrong);
  readSamples(id, *pass);
  readTelemetry(id, *pass);
  readDeviceUse(db_, id, *pass);
  return pass;
}

}  // namespace

std::shared_ptr<const Pass> readPass(sqlite::Database& db, const StoredRows& stored, std::int64_t row,
                                     const Run& run) {
  return PassReader(db, stored).read(row, run);
}

}  // namespace opscope
