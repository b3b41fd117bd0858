// SPDX-License-Identifier: Apache-2.0
#include "session/store_ranges.h"

#include <algorithm>
#include <array>
#include <optional>

#include "trace/ranges.h"

namespace opscope {
namespace {

constexpr std::array<std::string_view, 3> kKinds{"nested", "free", "mark"};

// What was not recorded is NULL in the file.
std::optional<Ns> unless(RangeKnown unknown, const RangeRecord& range, Ns instant) {
  return range.known != unknown ? std::optional(instant) : std::nullopt;
}

}  // namespace

void createRangeTable(sqlite::Database& db) {
  db.execute(R"sql(
CREATE TABLE IF NOT EXISTS host_range (
  pass_id INTEGER NOT NULL REFERENCES pass(id), idx INTEGER NOT NULL,
  start_ns INTEGER, end_ns INTEGER, kind TEXT NOT NULL, name_id INTEGER NOT NULL, domain_id INTEGER NOT NULL,
  thread_id INTEGER NOT NULL, iteration INTEGER,
  PRIMARY KEY (pass_id, idx)
) STRICT, WITHOUT ROWID;
)sql");
}

void writeRanges(sqlite::Database& db, std::int64_t passRow, const Trace& trace) {
  if (trace.ranges.empty()) return;
  sqlite::Statement row = db.prepare(
      "INSERT INTO host_range (pass_id, idx, start_ns, end_ns, kind, name_id, domain_id, thread_id, "
      "iteration) "
      "VALUES (?,?,?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < trace.ranges.size(); ++i) {
    const RangeRecord& r = trace.ranges[i];
    row.run(passRow, i, unless(RangeKnown::End, r, r.start), unless(RangeKnown::Beginning, r, r.end),
            kKinds.at(static_cast<std::size_t>(r.kind)), r.nameId, r.domainId, r.threadId,
            iterationOf(trace, r));
  }
}

std::string readRanges(sqlite::Database& db, std::int64_t passRow, Trace& trace) {
  if (db.integer("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'host_range'") == 0)
    return {};
  sqlite::Statement row = db.prepare(
      "SELECT idx, start_ns, end_ns, kind, name_id, domain_id, thread_id FROM host_range WHERE pass_id = ? "
      "ORDER "
      "BY idx");
  row.bindAll(passRow);
  while (row.step()) {
    if (row.integer(0) != static_cast<std::int64_t>(trace.ranges.size()))
      return "a row of table host_range is missing";
    const auto kind = std::find(kKinds.begin(), kKinds.end(), row.view(3));
    if (kind == kKinds.end()) return "a range is of no known kind";
    const std::optional<Ns> start = row.optional<Ns>(1), end = row.optional<Ns>(2);
    if (!start && !end) return "a range has neither beginning nor end";
    const RangeRecord range{.start = start.value_or(0),
                            .end = end.value_or(0),
                            .nameId = row.as<std::uint32_t>(4),
                            .domainId = row.as<std::uint32_t>(5),
                            .threadId = row.as<std::uint32_t>(6),
                            .kind = static_cast<RangeKind>(kind - kKinds.begin()),
                            .known = !end     ? RangeKnown::Beginning
                                     : !start ? RangeKnown::End
                                              : RangeKnown::Whole};
    if (range.nameId >= trace.names.size() || range.domainId >= trace.names.size())
      return "a range without a name";
    trace.ranges.push_back(range);
  }
  return {};
}

}  // namespace opscope
