// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer: an export of Nsight Systems. Bytes that begin like a database are one as they are; any others
// say what rows stand in the tables that the exporter writes. It is imported, or refused with BadInput or
// CannotRead.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "import/gaps_report.h"
#include "import/imported_run.h"
#include "import/nsight_reader.h"
#include "import/nsight_tables.h"
#include "session/sqlite.h"

namespace {

using namespace opscope;

// One file for the process: most of the time would go into making new ones.
const std::filesystem::path& file() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("opscope-fuzz-" + std::to_string(getpid()) + ".sqlite");
  return path;
}

void write(const std::uint8_t* data, std::size_t size) {
  std::FILE* out = std::fopen(file().c_str(), "wb");
  if (out == nullptr || std::fwrite(data, 1, size, out) != size) std::abort();
  std::fclose(out);
}

const std::vector<std::uint8_t>& emptyExport() {
  static const std::vector<std::uint8_t> image = [] {
    sqlite::Database database = sqlite::Database::inMemory();
    database.execute("PRAGMA page_size = 512");
    database.execute(test::kNsightTables);
    return database.image();
  }();
  return image;
}

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::uint8_t byte() { return empty() ? 0 : data_[at_++]; }
  // Small numbers are what rows have in common with each other; the largest ones what readers forget.
  void bind(sqlite3_stmt* row, int column) {
    const std::uint8_t kind = byte();
    std::int64_t value = 0;
    switch (kind % 8) {
      case 0:
        sqlite3_bind_null(row, column);
        return;
      case 1: {
        const std::array<char, 2> text{static_cast<char>(byte()), static_cast<char>(byte())};
        sqlite3_bind_text(row, column, text.data(), text.size(), SQLITE_TRANSIENT);
        return;
      }
      case 2:
        sqlite3_bind_double(row, column, byte() / 3.0);
        return;
      case 3:
        for (int i = 0; i < 8; ++i)
          value = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << 8 | byte());
        break;
      case 4:
        value = std::int64_t{byte()} << 24 | byte();  // a process and a thread
        break;
      default:
        value = byte();
    }
    sqlite3_bind_int64(row, column, value);
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

constexpr std::array<const char*, 6> kInserts{
    "INSERT OR IGNORE INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    "INSERT OR IGNORE INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,?,?,?,?,?,?,?)",
    "INSERT OR IGNORE INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,?,?)",
    "INSERT OR IGNORE INTO NVTX_EVENTS VALUES (?,?,?,?,?,?)",
    "INSERT OR IGNORE INTO StringIds VALUES (?,?)",
    "INSERT OR IGNORE INTO TARGET_INFO_GPU VALUES (?,?,?,?)",
};

void writeRows(Bytes bytes) {
  sqlite::Database database = sqlite::Database::startingFrom(emptyExport());
  while (!bytes.empty()) {
    sqlite3_stmt* row = nullptr;
    if (sqlite3_prepare_v2(database.handle(), kInserts.at(bytes.byte() % kInserts.size()), -1, &row,
                           nullptr) != SQLITE_OK)
      std::abort();
    for (int c = 1; c <= sqlite3_bind_parameter_count(row); ++c) bytes.bind(row, c);
    sqlite3_step(row);
    sqlite3_finalize(row);
  }
  const std::vector<std::uint8_t> image = database.image();
  write(image.data(), image.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("SQLite format 3"))
    write(data, size);
  else
    writeRows(Bytes(data, size));
  try {
    const ImportedTrace trace = importNsight(file(), {.iterations = "step", .progress = {}, .stop = {}});
    if (trace.trace.kernels.empty()) return 0;
    const GapsReport report = reportGaps("fuzz", trace, {}, 3);
    if (report.gaps.all.busy < 0 || report.gaps.all.busy > report.gaps.all.sum) std::abort();
    gapsJson(report);
    importedRuns(trace, "fuzz");
  } catch (const BadInput&) {
    // refused, as it should be
  } catch (const CannotRead&) {
    // likewise
  }
  return 0;
}
