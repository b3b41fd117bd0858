// SPDX-License-Identifier: GPL-3.0-or-later
#include <QStringList>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "panels/pickers_bar.h"
#include "plots/timeline_plot.h"
#include "remote/make_engine.h"
#include "state/text.h"
#include "ui/window_bench.h"

// The latency of an op without a window, and with one that is open and shows it, in the order A B B A. What
// it prints is for docs/measurements/ui.md; on a GPU:
//   test_ui_window "[undisturbed][gpu]"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::waitFor;

namespace {

constexpr int kMeasured = 300'000;  // ms; reached only by what never ends
constexpr double kAbsurd = 20;      // an open window makes nothing so many times slower, whatever else runs

struct Latencies {
  double median = 0;
  double p90 = 0;
  std::size_t n = 0;
};

Latencies latenciesOf(const Run& run) {
  REQUIRE(run.implementations.size() == 1);
  const ImplementationResult& result = run.implementations[0];
  if (result.failure) FAIL(describe(*result.failure));
  REQUIRE(result.latency.n > 0);
  return {result.latency.median, result.latency.p90, result.latency.n};
}

Latencies alone(const Job& job) {
  const auto engine = makeEngine(std::string(kProcessEngine));
  return latenciesOf(*runJob(*engine, job));
}

/// The window shows passes as they arrive, and after the first measurement that one's run: as in a day's work
/// the second is measured over it.
Latencies inWindow(const Job& job) {
  Bench bench(makeEngine(std::string(kProcessEngine)));
  REQUIRE(waitFor([&] { return bench.window.pickers().isReady(); }, kMeasured));
  for (std::size_t runs = 1; runs <= 2; ++runs) {
    bench.window.bridge().start(job);
    REQUIRE(waitFor(
        [&] { return bench.window.session().runs().size() == runs && !bench.window.bridge().isRunning(); },
        kMeasured));
  }
  CHECK(bench.window.isVisible());
  CHECK_FALSE(bench.window.timeline().lanes().lanes.empty());
  return latenciesOf(*bench.window.session().runs()[1]);
}

Job jobFor(const std::string& device, const char* workload, const char* implementation) {
  Job job;
  job.device = device;
  job.op = "rms_norm";
  job.workload = workload;
  job.implementations = {implementation};
  job.protocol.blocks = 2;
  return job;
}

void compare(const Job& job, const std::string& device) {
  const Latencies a1 = alone(job);
  const Latencies b1 = inWindow(job);
  const Latencies b2 = inWindow(job);
  const Latencies a2 = alone(job);
  const auto words = [](const Latencies& one) {
    return timeText(unitFor(one.median), one.p90) + QStringLiteral(" (median ") +
           timeText(unitFor(one.median), one.median) + QStringLiteral(", n = %1)").arg(one.n);
  };
  const double ratio = (b1.p90 + b2.p90) / (a1.p90 + a2.p90);
  WARN(device << ", " << job.op << ' ' << job.workload << ' ' << job.implementations[0]
              << ": p90 of latency without a window " << words(a1).toStdString() << " and "
              << words(a2).toStdString() << "; with one " << words(b1).toStdString() << " and "
              << words(b2).toStdString() << "; ratio " << ratio);
  CHECK(ratio > 1 / kAbsurd);
  CHECK(ratio < kAbsurd);
}

}  // namespace

TEST_CASE("a pass on the host is as long with an open window as without", "[undisturbed]") {
#ifdef OPSCOPE_SANITIZED
  SKIP("a sanitizer makes the window several times as dear");
#endif
  compare(jobFor("host", "tiny", "one-pass"), "host CPU");
}

TEST_CASE("a pass on a GPU is as long with an open window as without", "[.gpu][undisturbed]") {
  const auto engine = makeEngine(std::string(kProcessEngine));
  const auto devices = engine->devices();
  const auto gpu = std::find_if(devices.begin(), devices.end(),
                                [](const DeviceInfo& one) { return one.figures == FigureKind::Gpu; });
  if (gpu == devices.end()) SKIP("This machine has no GPU that can be used");
  // One kernel of 12 us, and nine with gaps that the host makes: what a window could be in the way of.
  for (const char* implementation : {"one-pass", "eager"})
    compare(jobFor(gpu->id, "llama-8b-prefill", implementation), gpu->name);
}
