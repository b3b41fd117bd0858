// SPDX-License-Identifier: Apache-2.0
#include "import/nsight_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "import/decimal.h"
#include "import/event_words.h"
#include "import/trace_builder.h"
#include "session/schema.h"
#include "session/sqlite.h"
#include "trace/intervals.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* kSets = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr const char* kOverheads = "PROFILER_OVERHEAD";
constexpr const char* kRanges = "NVTX_EVENTS";

// Ids of processes and threads are parts of one number: 24 bits each, above 16 bits of the machine.
std::uint64_t processOf(std::int64_t global) {
  return (static_cast<std::uint64_t>(global) >> 24) & 0xFF'FFFF;
}
std::uint32_t threadOf(std::int64_t global) {
  return static_cast<std::uint32_t>(global & 0xFF'FFFF);
}

// As CUPTI numbers them (CUpti_ActivityMemcpyKind).
MemopKind copyKind(std::int64_t kind) {
  switch (kind) {
    case 1:
      return MemopKind::CopyHtoD;
    case 2:
      return MemopKind::CopyDtoH;
    case 8:
      return MemopKind::CopyDtoD;
    case 9:
      return MemopKind::CopyHtoH;
    case 10:
      return MemopKind::CopyPeer;
    default:
      return MemopKind::Other;
  }
}

class Reader {
 public:
  Reader(const fs::path& file, const ImportOptions& options)
      : file_(file), options_(options), db_(file, sqlite::Database::Mode::Immutable) {}

  ImportedTrace read();

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("The export cannot be read: {}", what),
                   "Make it again with `nsys export --type sqlite`.", {file_.string(), 0, 0});
  }
  std::set<std::string> columnsOf(const char* table);
  // The columns by name; "NULL" for those that this version of the exporter does not write.
  std::string select(const char* table, std::initializer_list<const char*> wanted,
                     std::initializer_list<const char*> others);
  void checkTimes(const char* table);
  template <class Keep>
  void rows(const char* table, std::initializer_list<const char*> needed,
            std::initializer_list<const char*> others, Keep keep);
  void tellProgress();
  std::uint32_t nameOf(std::int64_t stringId);
  std::optional<std::uint32_t> idOf(const sqlite::Statement& row, int column, const char* what) const;
  std::uint32_t idOrUnknown(const sqlite::Statement& row, int column, const char* what) const {
    return row.isNull(column) ? kUnknownId : idOf(row, column, what).value_or(kUnknownId);
  }
  std::optional<std::uint32_t> correlation(const sqlite::Statement& row, int column, std::uint64_t process);
  Interval timesOf(const sqlite::Statement& row, const char* table, bool counts);

  void findProcesses();
  void readKernels();
  void readCopies();
  void readSets();
  void readCalls();
  void readOverheads();
  void readRanges();
  void readDevices();

  const fs::path& file_;
  const ImportOptions& options_;
  sqlite::Database db_;
  TraceBuilder builder_;
  std::unordered_map<std::int64_t, std::uint32_t> names_;
  bool severalProcesses_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t>
      correlations_;  // by process and id, where there are several
  std::uint64_t rowsToRead_ = 1, rowsRead_ = 0;
};

std::set<std::string> Reader::columnsOf(const char* table) {
  std::set<std::string> names;
  // Of a table that holds its rows: a view can be a query without an end.
  sqlite::Statement row = db_.prepare(
      "SELECT name FROM pragma_table_info(?1) WHERE EXISTS (SELECT 1 FROM sqlite_master AS m WHERE m.type = "
      "'table' AND m.name = ?1 COLLATE NOCASE AND m.sql NOT LIKE 'CREATE VIRTUAL%')");
  row.bindAll(std::string_view(table));
  while (row.step()) names.insert(row.text(0));
  return names;
}

std::string Reader::select(const char* table, std::initializer_list<const char*> wanted,
                           std::initializer_list<const char*> others) {
  const std::set<std::string> there = columnsOf(table);
  std::string list;
  for (const char* column : wanted) {
    if (!there.contains(column)) fail(fmt::format("its table {} has no column {}", table, column));
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", column);
  }
  for (const char* column : others)
    list += there.contains(column) ? fmt::format(", \"{}\"", column) : std::string(", NULL");
  return fmt::format("SELECT {} FROM {}", list, table);
}

// A database takes anything anywhere: what is no instant must end here.
void Reader::checkTimes(const char* table) {
  sqlite::Statement bad = db_.prepare(fmt::format(
      "SELECT rowid FROM {0} WHERE typeof(start) <> 'integer' OR (\"end\" IS NOT NULL AND "
      "(typeof(\"end\") <> 'integer' OR \"end\" < start)) OR abs(start) > {1} OR abs(\"end\") > {1} LIMIT 1",
      table, kFurthestNs));
  if (bad.step())
    fail(fmt::format("row {} of table {} has a start and an end that cannot be", bad.integer(0), table));
}

template <class Keep>
void Reader::rows(const char* table, std::initializer_list<const char*> needed,
                  std::initializer_list<const char*> others, Keep keep) {
  if (columnsOf(table).empty()) return;
  sqlite::Statement row = db_.prepare(select(table, needed, others));
  checkTimes(table);
  constexpr std::uint64_t kStretch = 4096;
  while (row.step()) {
    builder_.countEvent();
    if (++rowsRead_ % kStretch == 0) tellProgress();
    keep(row);
  }
}

void Reader::tellProgress() {
  if (options_.stop.stop_requested())
    throw Cancelled("The import was stopped before the end of the trace; nothing of it was kept");
  if (!options_.progress) return;
  std::error_code ignored;
  const auto size = static_cast<double>(fs::file_size(file_, ignored));
  const double share = static_cast<double>(rowsRead_) / static_cast<double>(std::max(rowsRead_, rowsToRead_));
  options_.progress(
      {static_cast<std::uint64_t>(size * share), static_cast<std::uint64_t>(size), builder_.events()});
}

std::uint32_t Reader::nameOf(std::int64_t stringId) {
  const auto [known, fresh] = names_.try_emplace(stringId, 0);
  if (!fresh) return known->second;
  sqlite::Statement row = db_.prepare("SELECT value FROM StringIds WHERE id = ?");
  row.bindAll(stringId);
  if (!row.step()) fail(fmt::format("it has no string {}, which a record names", stringId));
  known->second = builder_.name(row.view(0));
  return known->second;
}

std::optional<std::uint32_t> Reader::idOf(const sqlite::Statement& row, int column, const char* what) const {
  const std::int64_t id = row.integer(column);
  if (id > kUnknownId) fail(fmt::format("{} {} is larger than any", what, id));
  if (id < 0 || id == kUnknownId) return std::nullopt;
  return static_cast<std::uint32_t>(id);
}

std::optional<std::uint32_t> Reader::correlation(const sqlite::Statement& row, int column,
                                                 std::uint64_t process) {
  if (row.isNull(column)) return std::nullopt;
  const auto id = idOf(row, column, "the correlation id");
  if (!id || !severalProcesses_) return id;
  return correlations_.try_emplace(process << 32 | *id, static_cast<std::uint32_t>(correlations_.size() + 1))
      .first->second;
}

Interval Reader::timesOf(const sqlite::Statement& row, const char* table, bool counts) {
  const Interval times{row.integer(0), row.integer(1)};
  if (counts && !builder_.addDuration(times.length()))
    fail(fmt::format("the durations in table {} add up to more than 292 years", table));
  return times;
}

void Reader::findProcesses() {
  std::set<std::int64_t> processes;
  for (const auto& [table, column] : {std::pair{kKernels, "globalPid"}, std::pair{kCopies, "globalPid"},
                                      std::pair{kSets, "globalPid"}, std::pair{kCalls, "globalTid"}}) {
    const std::set<std::string> columns = columnsOf(table);
    if (columns.empty()) continue;
    rowsToRead_ += static_cast<std::uint64_t>(db_.integer(fmt::format("SELECT count(*) FROM {}", table)));
    if (!columns.contains(column)) continue;
    sqlite::Statement row =
        db_.prepare(fmt::format("SELECT DISTINCT ({} >> 24) & 16777215 FROM {} LIMIT 2", column, table));
    while (row.step()) processes.insert(row.integer(0));
  }
  severalProcesses_ = processes.size() > 1;
}

void Reader::readKernels() {
  rows(kKernels, {"start", "end", "deviceId", "streamId", "correlationId"},
       {"globalPid", "demangledName", "shortName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX",
        "blockY", "blockZ", "staticSharedMemory", "dynamicSharedMemory", "graphId", "graphNodeId"},
       [&](const sqlite::Statement& row) {
         const Interval times = timesOf(row, kKernels, true);
         const int name = row.isNull(6) ? 7 : 6;
         const auto number = [&](int column) {
           return row.isNull(column) ? 0 : idOf(row, column, "a number of a launch").value_or(0);
         };
         builder_.add(KernelRecord{.start = times.start,
                                   .end = times.end,
                                   .graphNodeId = row.isNull(18) ? 0 : row.as<std::uint64_t>(18),
                                   .nameId = row.isNull(name) ? builder_.name("") : nameOf(row.integer(name)),
                                   .shapeId = builder_.shape({number(9), number(10), number(11), number(12),
                                                              number(13), number(14), number(8), number(15),
                                                              number(16)}),
                                   .streamId = idOrUnknown(row, 3, "the stream"),
                                   .graphId = number(17),
                                   .deviceId = idOrUnknown(row, 2, "the device")},
                      correlation(row, 4, processOf(row.integer(5))));
       });
}

void Reader::readCopies() {
  rows(kCopies, {"start", "end", "deviceId", "streamId", "correlationId", "bytes"}, {"globalPid", "copyKind"},
       [&](const sqlite::Statement& row) {
         const Interval times = timesOf(row, kCopies, true);
         builder_.add(MemopRecord{.start = times.start,
                                  .end = times.end,
                                  .bytes = row.integer(5),
                                  .streamId = idOrUnknown(row, 3, "the stream"),
                                  .deviceId = idOrUnknown(row, 2, "the device"),
                                  .kind = row.isNull(7) ? MemopKind::Other : copyKind(row.integer(7))},
                      correlation(row, 4, processOf(row.integer(6))));
       });
}

void Reader::readSets() {
  rows(kSets, {"start", "end", "deviceId", "streamId", "correlationId", "bytes"}, {"globalPid"},
       [&](const sqlite::Statement& row) {
         const Interval times = timesOf(row, kSets, true);
         builder_.add(MemopRecord{.start = times.start,
                                  .end = times.end,
                                  .bytes = row.integer(5),
                                  .streamId = idOrUnknown(row, 3, "the stream"),
                                  .deviceId = idOrUnknown(row, 2, "the device"),
                                  .kind = MemopKind::Set},
                      correlation(row, 4, processOf(row.integer(6))));
       });
}

void Reader::readCalls() {
  rows(kCalls, {"start", "end", "globalTid", "correlationId", "nameId"}, {},
       [&](const sqlite::Statement& row) {
         const std::uint64_t process = processOf(row.integer(2));
         const auto id = correlation(row, 3, process);
         if (!id || row.isNull(1)) return;
         const Interval times = timesOf(row, kCalls, false);
         const std::uint32_t name = nameOf(row.integer(4));
         builder_.add(LaunchRecord{.start = times.start,
                                   .end = times.end,
                                   .correlationId = *id,
                                   .threadId = threadOf(row.integer(2)),
                                   .apiNameId = name,
                                   .kind = launchKindOf(builder_.text(name))},
                      process);
       });
}

void Reader::readOverheads() {
  rows(kOverheads, {"start", "end"}, {"globalTid", "nameId"}, [&](const sqlite::Statement& row) {
    if (row.isNull(1)) return;
    const Interval times = timesOf(row, kOverheads, false);
    builder_.add(OverheadRecord{.start = times.start,
                                .end = times.end,
                                .nameId = row.isNull(3) ? builder_.name("overhead") : nameOf(row.integer(3)),
                                .threadId = threadOf(row.integer(2))});
  });
}

// Ranges that were pushed and popped, and those that were started and ended: both belong to the host.
void Reader::readRanges() {
  constexpr std::int64_t kPushPop = 59, kStartEnd = 60;
  rows(kRanges, {"start", "end", "eventType", "globalTid"}, {"text", "textId"},
       [&](const sqlite::Statement& row) {
         const std::int64_t type = row.integer(2);
         if ((type != kPushPop && type != kStartEnd) || row.isNull(1)) return;
         if (row.isNull(4) && row.isNull(5)) return;  // nobody can ask for it by its name
         const Interval times = timesOf(row, kRanges, false);
         const std::uint32_t name = row.isNull(4) ? nameOf(row.integer(5)) : builder_.name(row.view(4));
         builder_.add(
             Annotation{times.start, times.end, name, processOf(row.integer(3)), threadOf(row.integer(3))});
       });
}

void Reader::readDevices() {
  if (columnsOf("TARGET_INFO_GPU").empty()) return;
  // A program may see only some of the machine's devices, and counts those from 0.
  const bool byProgram = columnsOf("TARGET_INFO_CUDA_DEVICE").contains("cudaId");
  const bool withArchitecture = columnsOf("TARGET_INFO_GPU").contains("computeMinor");
  sqlite::Statement row = db_.prepare(
      fmt::format("SELECT DISTINCT {}, g.name, {} FROM TARGET_INFO_GPU g{}", byProgram ? "d.cudaId" : "g.id",
                  withArchitecture ? "'sm_' || g.computeMajor || g.computeMinor" : "NULL",
                  byProgram ? " JOIN TARGET_INFO_CUDA_DEVICE d ON g.id = d.gpuId" : ""));
  while (row.step())
    if (const auto id = idOf(row, 0, "a device's id")) builder_.addDevice({*id, row.text(1), row.text(2)});
}

ImportedTrace Reader::read() {
  if (columnsOf("StringIds").empty() || (columnsOf(kKernels).empty() && columnsOf(kCalls).empty()))
    fail("this database is no export of Nsight Systems with CUDA in it");
  findProcesses();
  tellProgress();
  readKernels();
  readCopies();
  readSets();
  readCalls();
  readOverheads();
  readRanges();
  readDevices();
  ImportedTrace trace = builder_.finish(options_.iterations);
  trace.tool = "Nsight Systems";
  if (columnsOf("TARGET_INFO_SESSION_START_TIME").contains("utcEpochNs"))
    trace.zeroUnixNs = db_.integer("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME");
  return trace;
}

}  // namespace

bool looksLikeNsight(const fs::path& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, 72> header{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(header.data(), static_cast<std::streamsize>(header.size()))) return false;
  if (std::string_view(header.data(), kMagic.size()) != kMagic) return false;
  std::int64_t application = 0;
  for (std::size_t i = 68; i < 72; ++i)
    application = application << 8 | static_cast<unsigned char>(header[i]);
  return application != kSessionApplicationId;
}

ImportedTrace importNsight(const fs::path& file, const ImportOptions& options) {
  try {
    return Reader(file, options).read();
  } catch (const sqlite::Failure& failure) {
    throw CannotRead(fmt::format("Cannot read {}: {}", file.string(), failure.what()),
                     "Make it again with `nsys export --type sqlite`.");
  }
}

}  // namespace opscope
