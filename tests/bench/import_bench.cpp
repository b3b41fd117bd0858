// SPDX-License-Identifier: Apache-2.0
//
// What importing a trace costs, beside what its parts cost alone: the scan that cuts it, and the parser over
// the whole text. One thread, a synthetic trace in memory. Host CPU figures.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include "import/bracket_scan.h"
#include "import/import_trace.h"
#include "import/trace_gaps.h"
#include "synthetic_trace.h"

namespace {

using namespace opscope;

struct Made {
  std::string text;
  std::uint64_t events = 0;
};

const Made& made() {
  static const Made trace = [] {
    Made made;
    constexpr std::uint64_t kBytes = 100'000'000;
    made.text.reserve(kBytes + (2u << 20) + simdjson::SIMDJSON_PADDING);
    made.events = bench::writeSyntheticTrace(kBytes, [&made](std::string_view text) { made.text += text; });
    return made;
  }();
  return trace;
}

void report(benchmark::State& state) {
  const auto times = static_cast<std::int64_t>(state.iterations());
  state.SetItemsProcessed(times * static_cast<std::int64_t>(made().events));
  state.SetBytesProcessed(times * static_cast<std::int64_t>(made().text.size()));
}

void importAll(benchmark::State& state) {
  const std::string& text = made().text;
  for (auto _ : state) benchmark::DoNotOptimize(importTrace(*traceOf(text)).trace.kernels.size());
  report(state);
}

void importAndJudge(benchmark::State& state) {
  const std::string& text = made().text;
  for (auto _ : state) benchmark::DoNotOptimize(gapsIn(importTrace(*traceOf(text)).trace, {}).all.busy);
  report(state);
}

void scanAlone(benchmark::State& state) {
  const std::string& text = made().text;
  for (auto _ : state) {
    BracketScan scan;
    benchmark::DoNotOptimize(scan.scan(text, 1).elementEnd);
  }
  report(state);
}

// Every event looked at as far as deciding what it is asks for: "ph" and "cat".
void parserAlone(benchmark::State& state) {
  const std::string& text = made().text;
  simdjson::ondemand::parser parser;
  for (auto _ : state) {
    std::uint64_t kernels = 0;
    auto document = parser.iterate(text.data(), text.size(), text.capacity());
    for (auto event : document["traceEvents"].get_array()) {
      std::string_view category;
      if (event["cat"].get(category) == simdjson::SUCCESS && category == "kernel") ++kernels;
    }
    benchmark::DoNotOptimize(kernels);
  }
  report(state);
}

// A tree of the whole text.
void parserTree(benchmark::State& state) {
  const std::string& text = made().text;
  simdjson::dom::parser parser;
  for (auto _ : state) {
    simdjson::dom::element tree = parser.parse(text.data(), text.size(), false);
    benchmark::DoNotOptimize(tree["traceEvents"].get_array().size());
  }
  report(state);
}

BENCHMARK(importAll)->Unit(benchmark::kMillisecond);
BENCHMARK(importAndJudge)->Unit(benchmark::kMillisecond);
BENCHMARK(scanAlone)->Unit(benchmark::kMillisecond);
BENCHMARK(parserAlone)->Unit(benchmark::kMillisecond);
BENCHMARK(parserTree)->Unit(benchmark::kMillisecond);

}  // namespace
