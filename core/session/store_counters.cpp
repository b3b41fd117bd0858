// SPDX-License-Identifier: Apache-2.0
#include "session/store_counters.h"

namespace opscope {
namespace {

constexpr const char* kCounterTables = R"sql(
CREATE TABLE IF NOT EXISTS counter_reading (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL,
  l2 TEXT NOT NULL, l2_bytes INTEGER NOT NULL, copies INTEGER NOT NULL, together INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY (run_id, implementation)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counter_kernel (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, idx INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (run_id, implementation, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counter (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL, call INTEGER NOT NULL,
  idx INTEGER NOT NULL, dram_read_bytes INTEGER NOT NULL, dram_written_bytes INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL, profiled_ns INTEGER NOT NULL,
  PRIMARY KEY (run_id, implementation, call, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counter_refusal (
  run_id INTEGER NOT NULL REFERENCES run(id), implementation INTEGER NOT NULL,
  failure TEXT NOT NULL, message TEXT NOT NULL, remedy TEXT NOT NULL,
  file TEXT NOT NULL, line INTEGER NOT NULL, column INTEGER NOT NULL,
  PRIMARY KEY (run_id, implementation)
) STRICT, WITHOUT ROWID;
)sql";

void writeReading(sqlite::Database& database, std::int64_t run, std::size_t index,
                  const CounterReading& reading) {
  database
      .prepare(
          "INSERT INTO counter_reading (run_id, implementation, l2, l2_bytes, copies, together, calls) "
          "VALUES (?,?,?,?,?,?,?)")
      .run(run, index, reading.l2, reading.l2Bytes, reading.copies, reading.together, reading.calls.size());
  sqlite::Statement kernel =
      database.prepare("INSERT INTO counter_kernel (run_id, implementation, idx, name) VALUES (?,?,?,?)");
  for (std::size_t k = 0; k < reading.kernels.size(); ++k) kernel.run(run, index, k, reading.kernels[k]);
  sqlite::Statement counter = database.prepare(
      "INSERT INTO counter (run_id, implementation, call, idx, dram_read_bytes, dram_written_bytes, l2_bytes,"
      "profiled_ns) VALUES (?,?,?,?,?,?,?,?)");
  for (std::size_t c = 0; c < reading.calls.size(); ++c)
    for (std::size_t k = 0; k < reading.calls[c].size(); ++k) {
      const MemoryTraffic& traffic = reading.calls[c][k];
      counter.run(run, index, c, k, traffic.dramRead, traffic.dramWritten, traffic.l2, traffic.profiled);
    }
}

void writeRefusal(sqlite::Database& database, std::int64_t run, std::size_t index, const ErrorInfo& why) {
  database
      .prepare(
          "INSERT INTO counter_refusal (run_id, implementation, failure, message, remedy, file, line, "
          "column) VALUES "
          "(?,?,?,?,?,?,?,?)")
      .run(run, index, nameOf(why.code), why.message, why.remedy, why.place.file, why.place.line,
           why.place.column);
}

}  // namespace

void createCounterTables(sqlite::Database& database) {
  database.execute(kCounterTables);
}

void writeCounters(sqlite::Database& database, std::int64_t run, const Run& content) {
  for (std::size_t i = 0; i < content.implementations.size(); ++i) {
    const ImplementationResult& result = content.implementations[i];
    if (result.counters) writeReading(database, run, i, *result.counters);
    if (result.countersRefused) writeRefusal(database, run, i, *result.countersRefused);
  }
}

void readCounters(sqlite::Database& database, std::int64_t run, Run& content,
                  const std::function<void(const std::string&)>& damaged) {
  if (database.integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'counter'") == 0)
    return;
  const auto implementationAt = [&](const sqlite::Statement& row) -> ImplementationResult& {
    const auto index = static_cast<std::size_t>(row.integer(0));
    if (index >= content.implementations.size()) damaged("counters belong to no implementation");
    return content.implementations[index];
  };
  // A table that a foreign key would have kept in order is read as what it is: input.
  constexpr std::int64_t kMostCalls = 1'000'000;
  sqlite::Statement reading = database.prepare(
      "SELECT implementation, l2, l2_bytes, copies, calls, together FROM counter_reading WHERE run_id = ? "
      "ORDER BY "
      "implementation");
  reading.bindAll(run);
  while (reading.step()) {
    CounterReading read;
    read.l2 = reading.text(1);
    read.l2Bytes = reading.integer(2);
    read.copies = reading.as<std::uint32_t>(3);
    read.together = reading.integer(5) != 0;
    if (reading.integer(4) < 0 || reading.integer(4) > kMostCalls)
      damaged("a number of counted calls cannot be");
    read.calls.resize(reading.as<std::size_t>(4));
    implementationAt(reading).counters = std::move(read);
  }
  const auto readingAt = [&](const sqlite::Statement& row) -> CounterReading& {
    ImplementationResult& result = implementationAt(row);
    if (!result.counters) damaged("counters without a reading");
    return *result.counters;
  };
  sqlite::Statement kernel = database.prepare(
      "SELECT implementation, idx, name FROM counter_kernel WHERE run_id = ? ORDER BY implementation, idx");
  kernel.bindAll(run);
  while (kernel.step()) {
    CounterReading& into = readingAt(kernel);
    if (kernel.as<std::size_t>(1) != into.kernels.size()) damaged("a row of table counter_kernel is missing");
    into.kernels.push_back(kernel.text(2));
  }
  sqlite::Statement counter = database.prepare(
      "SELECT implementation, call, idx, dram_read_bytes, dram_written_bytes, l2_bytes, profiled_ns FROM "
      "counter WHERE "
      "run_id = ? ORDER BY implementation, call, idx");
  counter.bindAll(run);
  while (counter.step()) {
    CounterReading& into = readingAt(counter);
    const auto call = counter.as<std::size_t>(1);
    if (call >= into.calls.size() || counter.as<std::size_t>(2) != into.calls[call].size())
      damaged("a row of table counter is missing");
    into.calls[call].push_back(
        {counter.integer(3), counter.integer(4), counter.integer(5), counter.integer(6)});
  }
  sqlite::Statement refusal = database.prepare(
      "SELECT implementation, failure, message, remedy, file, line, column FROM counter_refusal WHERE run_id "
      "= ?");
  refusal.bindAll(run);
  while (refusal.step())
    implementationAt(refusal).countersRefused =
        ErrorInfo{errorCodeFromName(refusal.view(1)),
                  refusal.text(2),
                  refusal.text(3),
                  {refusal.text(4), refusal.as<int>(5), refusal.as<int>(6)}};
}

}  // namespace opscope
