// SPDX-License-Identifier: Apache-2.0
#include "reading_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/format.h"
#include "import/import_trace.h"
#include "interrupts.h"

namespace opscope::cli {
namespace {

using Clock = std::chrono::steady_clock;

// One line, rewritten in place, at most ten times a second.
class ReadingLine {
 public:
  explicit ReadingLine(bool wanted) : active_(wanted && isatty(STDERR_FILENO) != 0) {}
  ~ReadingLine() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }
  ReadingLine(const ReadingLine&) = delete;
  ReadingLine& operator=(const ReadingLine&) = delete;

  void show(const ImportProgress& progress) {
    if (!active_ || Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds(100);
    const double share = static_cast<double>(progress.bytesRead) / static_cast<double>(progress.bytesTotal);
    fmt::print(stderr, "\r\x1b[Kreading, {}, {} events", formatShare(share), progress.events);
    std::fflush(stderr);
    drawn_ = true;
  }

 private:
  bool active_;
  bool drawn_ = false;
  // Small files are read before anyone could read the line.
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(300);
};

}  // namespace

ImportedTrace readTrace(const std::filesystem::path& file, const std::string& iterations, bool quiet) {
  std::stop_source stop;
  Interrupts interrupts;
  interrupts.setAction([&stop] { stop.request_stop(); });
  ReadingLine line(!quiet);
  ImportOptions options;
  if (!iterations.empty()) options.iterations = iterations;
  options.progress = [&line](const ImportProgress& progress) { line.show(progress); };
  options.stop = stop.get_token();
  return importTrace(file, options);
}

}  // namespace opscope::cli
