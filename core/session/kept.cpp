// SPDX-License-Identifier: Apache-2.0
#include "session/kept.h"

#include <algorithm>
#include <array>

#include "trace/attribution.h"

namespace opscope {
namespace {

constexpr std::array<std::string_view, 3> kNames{"all", "summary", "none"};

template <class Get>
Summary over(const Pass& pass, Get get) {
  std::vector<Ns> values;
  values.reserve(pass.samples.size());
  for (const Sample& sample : pass.samples) values.push_back(get(sample));
  return summarise(values);
}

void dropRecords(Pass& pass) {
  Trace bare;
  for (const std::string& name : kernelNamesOf(pass)) bare.names.intern(name);
  bare.iterations = std::move(pass.trace.iterations);
  bare.oneClock = pass.trace.oneClock;
  bare.dropped = pass.trace.dropped;
  pass.trace = std::move(bare);
  pass.gaps.clear();
}

void dropReadings(Pass& pass) {
  // Without the marks of its iterations nothing would tell the loop's readings from the warm-up's.
  if (!pass.trace.iterations.empty())
    pass.telemetry.erase(pass.telemetry.begin(),
                         pass.telemetry.begin() + static_cast<std::ptrdiff_t>(firstOfLoop(pass)));
  pass.trace.iterations.clear();
  pass.samples.clear();
}

}  // namespace

std::string_view nameOf(RecordsKept kept) {
  return kNames.at(static_cast<std::size_t>(kept));
}

std::optional<RecordsKept> recordsKeptFromName(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<RecordsKept>(found - kNames.begin());
}

Summary busyOf(const Pass& pass) {
  return pass.figures ? pass.figures->busy : over(pass, [](const Sample& s) { return s.busy; });
}

Ns latencyTotalOf(const Pass& pass) {
  if (pass.figures) return pass.figures->latencyTotal;
  Ns total = 0;
  for (const Sample& sample : pass.samples) total += sample.latency;
  return total;
}

GapTotals gapTotalsOf(const Pass& pass) {
  return pass.figures ? pass.figures->gaps : totalByCause(pass.gaps);
}

// The trace's own clock, which is one for all passes of a run; wall time may be set meanwhile.
Ns middleOf(const Pass& pass) {
  if (pass.figures) return pass.figures->middle;
  if (pass.trace.iterations.empty()) return 0;
  const Ns from = pass.trace.iterations.front().called;
  return from + (pass.trace.iterations.back().drained - from) / 2;
}

PassFigures figuresOf(const Pass& pass) {
  if (pass.figures) return *pass.figures;
  return {.busy = busyOf(pass),
          .latency = over(pass, [](const Sample& s) { return s.latency; }),
          .kernelsMedian = over(pass, [](const Sample& s) { return Ns{s.kernels}; }).median,
          .memopsMedian = over(pass, [](const Sample& s) { return Ns{s.memops}; }).median,
          .memopTimeMedian = over(pass, [](const Sample& s) { return s.memopTime; }).median,
          .latencyTotal = latencyTotalOf(pass),
          .gaps = gapTotalsOf(pass),
          .middle = middleOf(pass)};
}

std::set<std::string> kernelNamesOf(const Pass& pass) {
  if (pass.kept == RecordsKept::All) return kernelNames(pass.trace);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < pass.trace.names.size(); ++i) names.insert(pass.trace.names.text(i));
  return names;
}

std::shared_ptr<const Pass> reducedTo(RecordsKept kept, std::shared_ptr<const Pass> pass) {
  if (kept <= pass->kept) return pass;
  auto less = std::make_shared<Pass>(*pass);
  less->figures = std::make_shared<const PassFigures>(figuresOf(*pass));
  if (pass->kept == RecordsKept::All) dropRecords(*less);
  if (kept == RecordsKept::None) dropReadings(*less);
  less->kept = kept;
  return less;
}

Run reducedTo(RecordsKept kept, Run run) {
  if (kept == RecordsKept::All) return run;
  for (auto& pass : run.passes) pass = reducedTo(kept, std::move(pass));
  for (auto& pass : run.controls) pass = reducedTo(kept, std::move(pass));
  for (Finding& finding : run.findings) {
    finding.gap = -1;
    if (kept == RecordsKept::None) finding.iteration = -1;
  }
  return run;
}

RecordsKept keptOf(const Run& run) {
  RecordsKept least = RecordsKept::All;
  for (const auto& pass : run.passes) least = std::max(least, pass->kept);
  return least;
}

std::string keptSentence(RecordsKept kept) {
  switch (kept) {
    case RecordsKept::All:
      break;
    case RecordsKept::Summary:
      return "This session kept the readings of each iteration and no raw records (--records summary): there "
             "is no timeline, no kernel and no single gap to show.";
    case RecordsKept::None:
      return "This session kept the numbers of the run and of each pass, no iteration and no raw records "
             "(--records none): there is no timeline, no kernel, no single gap and no distribution to show.";
  }
  return {};
}

}  // namespace opscope
