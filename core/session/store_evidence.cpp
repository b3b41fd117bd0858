// SPDX-License-Identifier: Apache-2.0
#include "session/store_evidence.h"

#include "session/schema.h"

namespace opscope {

void createEvidenceTables(sqlite::Database& db) {
  db.execute(R"sql(
CREATE TABLE IF NOT EXISTS device_limit (
  run_id INTEGER PRIMARY KEY REFERENCES run(id), memory_bytes_per_s REAL
) STRICT;
CREATE TABLE IF NOT EXISTS finding_evidence (
  run_id INTEGER NOT NULL REFERENCES run(id), finding INTEGER NOT NULL, idx INTEGER NOT NULL,
  name TEXT NOT NULL, value REAL, unit TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (run_id, finding, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS device_use (
  pass_id INTEGER PRIMARY KEY REFERENCES pass(id), own_pid INTEGER
) STRICT;
CREATE TABLE IF NOT EXISTS device_process (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  pid INTEGER NOT NULL, sm_percent INTEGER, memory_bytes INTEGER NOT NULL,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
)sql");
}

void writeRunEvidence(sqlite::Database& db, std::int64_t id, const Run& run) {
  db.prepare("INSERT INTO device_limit (run_id, memory_bytes_per_s) VALUES (?,?)")
      .run(id, run.memoryBytesPerSecond);
  sqlite::Statement row = db.prepare(
      "INSERT INTO finding_evidence (run_id, finding, idx, name, value, unit, text) VALUES (?,?,?,?,?,?,?)");
  for (std::size_t f = 0; f < run.findings.size(); ++f)
    for (std::size_t e = 0; e < run.findings[f].evidence.size(); ++e) {
      const Evidence& evidence = run.findings[f].evidence[e];
      row.run(id, f, e, evidence.name, evidence.value, evidence.unit, evidence.text);
    }
}

void writeDeviceUse(sqlite::Database& db, std::int64_t id, const Pass& pass) {
  if (!pass.use) return;
  db.prepare("INSERT INTO device_use (pass_id, own_pid) VALUES (?,?)").run(id, pass.use->ownPid);
  sqlite::Statement row = db.prepare(
      "INSERT INTO device_process (pass_id, idx, pid, sm_percent, memory_bytes) VALUES (?,?,?,?,?)");
  for (std::size_t i = 0; i < pass.use->processes.size(); ++i) {
    const DeviceProcess& process = pass.use->processes[i];
    row.run(id, i, process.pid, process.smPercent, process.memoryBytes);
  }
}

bool readRunEvidence(sqlite::Database& db, std::int64_t id, Run& run) {
  if (sessionVersionOf(db) < 2) return true;
  sqlite::Statement limit = db.prepare("SELECT memory_bytes_per_s FROM device_limit WHERE run_id = ?");
  limit.bindAll(id);
  if (limit.step()) run.memoryBytesPerSecond = limit.real(0);
  sqlite::Statement row = db.prepare(
      "SELECT finding, name, value, unit, text FROM finding_evidence WHERE run_id = ? ORDER BY finding, idx");
  row.bindAll(id);
  while (row.step()) {
    const std::int64_t finding = row.integer(0);
    if (finding < 0 || static_cast<std::size_t>(finding) >= run.findings.size()) return false;
    run.findings[static_cast<std::size_t>(finding)].evidence.push_back(
        {row.text(1), row.real(2), row.text(3), row.text(4)});
  }
  return true;
}

void readDeviceUse(sqlite::Database& db, std::int64_t id, Pass& pass) {
  if (sessionVersionOf(db) < 2) return;
  sqlite::Statement use = db.prepare("SELECT own_pid FROM device_use WHERE pass_id = ?");
  use.bindAll(id);
  if (!use.step()) return;
  pass.use = DeviceUse{.processes = {}, .ownPid = use.optional<std::uint32_t>(0)};
  sqlite::Statement row =
      db.prepare("SELECT pid, sm_percent, memory_bytes FROM device_process WHERE pass_id = ? ORDER BY idx");
  row.bindAll(id);
  while (row.step())
    pass.use->processes.push_back({row.as<std::uint32_t>(0), row.optional<int>(1), row.integer(2)});
}

}  // namespace opscope
