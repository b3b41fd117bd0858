// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer: any bytes as a trace, plain or compressed. It is imported, or refused with BadInput. What was
// imported is judged, exported, and imported again with the same kernels, union and gaps.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "import/gaps_report.h"
#include "import/import_trace.h"
#include "import/imported_run.h"
#include "session/chrome_trace.h"

namespace {

using namespace opscope;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

void holdTogether(const TraceGaps& gaps) {
  require(gaps.all.busy >= 0 && gaps.all.gapTime >= 0, "no time is negative");
  require(gaps.all.busy <= gaps.all.sum, "the union is at most the sum");
  Ns total = 0;
  for (const Gap& gap : gaps.gaps) {
    total += gap.length();
    require(gap.copy + gap.host + gap.instrument + gap.device == gap.length(),
            "the parts of a gap are the gap");
  }
  require(total == gaps.all.gapTime, "two ways to add gaps up agree");
}

void exportAndImport(const ImportedTrace& trace) {
  for (const auto& run : importedRuns(trace, "fuzz")) {
    // Instants that lie further apart than the format of the export reaches.
    for (const KernelRecord& kernel : trace.trace.kernels)
      if (kernel.start < -kSecond * 86'400 || kernel.end > Ns{2'000'000'000} * kSecond) return;
    const std::string text = chromeTrace(*run);
    const ImportedTrace again = importTrace(*traceOf(text));
    const Trace& before = run->passes.front()->trace;
    require(again.trace.kernels.size() == before.kernels.size(), "no kernel is lost on the way");
    const TraceGaps there = gapsIn(before, {}), back = gapsIn(again.trace, {});
    require(there.all.busy == back.all.busy && there.all.gapTime == back.all.gapTime &&
                there.all.sum == back.all.sum,
            "union and gaps stay the same on the way");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const ImportedTrace trace = importTrace(*traceOf({reinterpret_cast<const char*>(data), size}));
    if (trace.trace.kernels.empty()) return 0;
    const GapsReport report = reportGaps("fuzz", trace, {}, 3);
    holdTogether(report.gaps);
    gapsTable(report);
    gapsJson(report);
    exportAndImport(trace);
  } catch (const BadInput&) {
    // refused, as it should be
  }
  return 0;
}
