// SPDX-License-Identifier: Apache-2.0
#include "session/schema.h"

#include <fmt/format.h>

#include <array>

#include "session/control_rows.h"
#include "session/store_ceilings.h"
#include "session/store_comparison.h"
#include "session/store_counters.h"
#include "session/store_evidence.h"
#include "session/store_kept.h"
#include "session/store_ranges.h"

namespace opscope {
namespace {

// Every *_ns column is integer nanoseconds; those of records are on the clock of their pass. Rows that belong
// to a pass are clustered by it, in the order in which they were recorded: gaps point at kernels by that
// order.
constexpr const char* kRunTables = R"sql(
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  op TEXT NOT NULL, family TEXT NOT NULL, workload TEXT NOT NULL, dtype TEXT NOT NULL,
  flops REAL, bytes REAL,
  device_id TEXT NOT NULL, device_name TEXT NOT NULL, figures TEXT NOT NULL,
  method TEXT NOT NULL, l2 TEXT NOT NULL, timestamp_tick_ns INTEGER NOT NULL,
  seed INTEGER NOT NULL, blocks INTEGER NOT NULL,
  started_unix_ns INTEGER NOT NULL, finished_unix_ns INTEGER NOT NULL,
  cancelled INTEGER NOT NULL, complete INTEGER NOT NULL, note TEXT NOT NULL
) STRICT;
CREATE TABLE environment (
  run_id INTEGER NOT NULL REFERENCES run(id), name TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE dimension (
  run_id INTEGER NOT NULL REFERENCES run(id), name TEXT NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE param (
  run_id INTEGER NOT NULL REFERENCES run(id), name TEXT NOT NULL, value REAL,
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE implementation (
  run_id INTEGER NOT NULL REFERENCES run(id), idx INTEGER NOT NULL,
  name TEXT NOT NULL, doc TEXT NOT NULL,
  verification TEXT NOT NULL, compared INTEGER NOT NULL, elements INTEGER NOT NULL,
  tolerance REAL, worst REAL, worst_at TEXT NOT NULL,
  failure TEXT, failure_message TEXT, failure_remedy TEXT, failure_file TEXT, failure_line INTEGER,
  failure_column INTEGER,
  iteration_cost_ns INTEGER NOT NULL,
  busy_n INTEGER NOT NULL, busy_median_ns REAL, busy_p10_ns REAL, busy_p90_ns REAL, busy_min_ns REAL,
  busy_max_ns REAL, busy_iqr_ns REAL,
  latency_n INTEGER NOT NULL, latency_median_ns REAL, latency_p10_ns REAL, latency_p90_ns REAL,
  latency_min_ns REAL, latency_max_ns REAL, latency_iqr_ns REAL,
  gap_n INTEGER NOT NULL, gap_median_ns REAL, gap_p10_ns REAL, gap_p90_ns REAL, gap_min_ns REAL,
  gap_max_ns REAL, gap_iqr_ns REAL,
  kernels_min INTEGER NOT NULL, kernels_max INTEGER NOT NULL, kernels_median REAL,
  memops_median REAL, memop_time_median_ns INTEGER NOT NULL,
  PRIMARY KEY (run_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE gap_total (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, cause TEXT NOT NULL,
  count INTEGER NOT NULL, time_ns INTEGER NOT NULL, iterations INTEGER NOT NULL,
  PRIMARY KEY (run_id, implementation, cause)
) STRICT, WITHOUT ROWID;
CREATE TABLE finding (
  run_id INTEGER NOT NULL REFERENCES run(id), idx INTEGER NOT NULL,
  severity TEXT NOT NULL, rule TEXT NOT NULL, sentence TEXT NOT NULL,
  implementation INTEGER, pass INTEGER, iteration INTEGER, gap INTEGER,
  PRIMARY KEY (run_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE pass (
  id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES run(id),
  block INTEGER NOT NULL, pass INTEGER NOT NULL, position INTEGER NOT NULL, implementation INTEGER NOT NULL,
  method TEXT NOT NULL, l2 TEXT NOT NULL, warmups INTEGER NOT NULL, attempts INTEGER NOT NULL,
  buffer_bytes INTEGER NOT NULL, started_unix_ns INTEGER NOT NULL, finished_unix_ns INTEGER NOT NULL,
  loop_wall_ns INTEGER NOT NULL, dropped INTEGER NOT NULL, drop_counter_proven INTEGER NOT NULL,
  clock_known INTEGER NOT NULL, launch_latency_ns INTEGER NOT NULL, clock_offset_low_ns INTEGER NOT NULL,
  clock_offset_high_ns INTEGER NOT NULL, one_clock INTEGER NOT NULL,
  failure TEXT, failure_message TEXT, failure_remedy TEXT, failure_file TEXT, failure_line INTEGER,
  failure_column INTEGER
) STRICT;
CREATE INDEX pass_of_run ON pass (run_id);
)sql";

// What a pass recorded.
constexpr const char* kPassTables = R"sql(
CREATE TABLE telemetry (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL, at_ns INTEGER NOT NULL,
  sm_clock_mhz INTEGER, memory_clock_mhz INTEGER, temperature_c INTEGER, power_mw INTEGER,
  throttle_reasons INTEGER,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE iteration (
  pass_id INTEGER NOT NULL REFERENCES pass(id), iteration INTEGER NOT NULL,
  called_ns INTEGER NOT NULL, issued_ns INTEGER NOT NULL, drained_ns INTEGER NOT NULL,
  PRIMARY KEY (pass_id, iteration)
) STRICT, WITHOUT ROWID;
CREATE TABLE ping (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  seen_running_ns INTEGER NOT NULL, released_ns INTEGER NOT NULL,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE sample (
  pass_id INTEGER NOT NULL REFERENCES pass(id), iteration INTEGER NOT NULL,
  busy_ns INTEGER NOT NULL, latency_ns INTEGER NOT NULL, n_kernels INTEGER NOT NULL,
  n_memops INTEGER NOT NULL, memop_time_ns INTEGER NOT NULL,
  gap_ns INTEGER GENERATED ALWAYS AS (latency_ns - busy_ns) VIRTUAL,
  PRIMARY KEY (pass_id, iteration)
) STRICT, WITHOUT ROWID;
CREATE TABLE name (
  pass_id INTEGER NOT NULL REFERENCES pass(id), id INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (pass_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE shape (
  pass_id INTEGER NOT NULL REFERENCES pass(id), id INTEGER NOT NULL,
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  registers INTEGER NOT NULL, static_shared_bytes INTEGER NOT NULL, dynamic_shared_bytes INTEGER NOT NULL,
  PRIMARY KEY (pass_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE kernel (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, queued_ns INTEGER NOT NULL,
  name_id INTEGER NOT NULL, shape_id INTEGER NOT NULL, stream_id INTEGER NOT NULL,
  correlation_id INTEGER NOT NULL, graph_id INTEGER NOT NULL, graph_node_id INTEGER NOT NULL,
  device_id INTEGER NOT NULL, external_id INTEGER, iteration INTEGER,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE memop (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, bytes INTEGER NOT NULL, kind TEXT NOT NULL,
  stream_id INTEGER NOT NULL, correlation_id INTEGER NOT NULL, graph_id INTEGER NOT NULL,
  device_id INTEGER NOT NULL, external_id INTEGER, iteration INTEGER,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE launch (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, kind TEXT NOT NULL, api_name_id INTEGER NOT NULL,
  thread_id INTEGER NOT NULL, correlation_id INTEGER NOT NULL, external_id INTEGER, iteration INTEGER,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE overhead (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, name_id INTEGER NOT NULL, thread_id INTEGER NOT NULL,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE external_id (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  correlation_id INTEGER NOT NULL, external_id INTEGER NOT NULL,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE gap (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL, iteration INTEGER NOT NULL,
  start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, copy_ns INTEGER NOT NULL, host_ns INTEGER NOT NULL,
  instrument_ns INTEGER NOT NULL, device_ns INTEGER NOT NULL, entered_ns INTEGER NOT NULL,
  issued_ns INTEGER NOT NULL, before_kernel INTEGER NOT NULL, after_kernel INTEGER NOT NULL,
  cause TEXT NOT NULL, one_cause TEXT, other_cause TEXT,
  length_ns INTEGER GENERATED ALWAYS AS (end_ns - start_ns) VIRTUAL,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* kViews = R"sql(
DROP VIEW IF EXISTS samples;
DROP VIEW IF EXISTS kernels;
-- What a person asks for first, with the names filled in. Implementations that failed are left out.
CREATE VIEW samples AS
  SELECT run.id AS run_id, run.op, run.workload, run.dtype, implementation.name AS implementation,
         pass.id AS pass_id, pass.block, pass.pass, pass.position, sample.iteration,
         sample.busy_ns, sample.latency_ns, sample.gap_ns, sample.n_kernels
  FROM sample JOIN pass ON pass.id = sample.pass_id JOIN run ON run.id = pass.run_id
       JOIN implementation ON implementation.run_id = run.id AND implementation.idx = pass.implementation
  WHERE implementation.failure IS NULL AND pass.id NOT IN (SELECT pass_id FROM control_pass);
CREATE VIEW kernels AS
  SELECT run.id AS run_id, run.op, run.workload, run.dtype, implementation.name AS implementation,
         pass.id AS pass_id, pass.block, pass.pass, pass.position, kernel.iteration, kernel.idx,
         name.text AS kernel, kernel.stream_id, kernel.start_ns, kernel.end_ns,
         kernel.end_ns - kernel.start_ns AS duration_ns, kernel.queued_ns,
         shape.grid_x, shape.grid_y, shape.grid_z, shape.block_x, shape.block_y, shape.block_z,
         shape.registers, shape.static_shared_bytes, shape.dynamic_shared_bytes
  FROM kernel JOIN pass ON pass.id = kernel.pass_id JOIN run ON run.id = pass.run_id
       JOIN implementation ON implementation.run_id = run.id AND implementation.idx = pass.implementation
       LEFT JOIN name ON name.pass_id = kernel.pass_id AND name.id = kernel.name_id
       LEFT JOIN shape ON shape.pass_id = kernel.pass_id AND shape.id = kernel.shape_id
  WHERE implementation.failure IS NULL AND kernel.iteration IS NOT NULL
        AND pass.id NOT IN (SELECT pass_id FROM control_pass);
)sql";

constexpr std::array<std::string_view, 7> kMemopKinds{"HtoD", "DtoH", "DtoD", "HtoH", "peer", "set", "other"};
constexpr std::array<std::string_view, 5> kLaunchKinds{"kernel", "graph", "copy", "set", "other"};

template <class Kind, std::size_t N>
Kind fromName(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Kind>(i);
  return Kind::Other;
}

// What came after version 1, each beside what reads and writes it. A table that is there stays as it is.
void createLaterTables(sqlite::Database& database) {
  createEvidenceTables(database);
  createCounterTables(database);
  createControlTables(database);
  createComparisonTables(database);
  createCeilingTables(database);
  createKeptTable(database);
  createRangeTable(database);
}

}  // namespace

void createSchema(sqlite::Database& database) {
  sqlite::Transaction transaction(database);
  createRunSchema(database);
  database.execute(kPassTables);
  database.execute(kViews);
  transaction.commit();
}

void createRunSchema(sqlite::Database& database) {
  database.execute(kRunTables);
  createLaterTables(database);
  database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kSessionApplicationId,
                               kSessionVersion));
}

void upgradeSchema(sqlite::Database& database) {
  if (sessionVersionOf(database) > kSessionVersion) return;
  sqlite::Transaction transaction(database);
  createLaterTables(database);
  database.execute(kViews);
  database.execute(fmt::format("PRAGMA user_version = {}", kSessionVersion));
  transaction.commit();
}

int sessionVersionOf(sqlite::Database& database) {
  return static_cast<int>(database.integer("PRAGMA user_version"));
}

std::string_view nameOf(MemopKind kind) {
  return kMemopKinds.at(static_cast<std::size_t>(kind));
}
std::string_view nameOf(LaunchKind kind) {
  return kLaunchKinds.at(static_cast<std::size_t>(kind));
}
MemopKind memopKindFromName(std::string_view name) {
  return fromName<MemopKind>(kMemopKinds, name);
}
LaunchKind launchKindFromName(std::string_view name) {
  return fromName<LaunchKind>(kLaunchKinds, name);
}

}  // namespace opscope
