// SPDX-License-Identifier: Apache-2.0
#include "session/synthetic.h"

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace opscope::test {
namespace {

constexpr Ns kBase = 1'700'000'000'000'000'000;  // instants as large as CUPTI's: a double would round them

// Two iterations of two kernels with a gap of 3 us between them: busy 4 + 8 us, latency 15 us.
Trace syntheticTrace() {
  Trace trace;
  trace.dropped = {true, 0};
  const std::uint32_t first = trace.names.intern("rms_norm<float, 4>(float const*, \"quoted\")");
  const std::uint32_t second = trace.names.intern("scale");
  const std::uint32_t api = trace.names.intern("cudaLaunchKernelExC");
  const std::uint32_t flush = trace.names.intern("BUFFER_FLUSH");
  trace.internShape({2048, 1, 2, 256, 3, 1, 40, 1024, 2048});
  trace.internShape({16, 2, 1, 128, 1, 4, 32, 0, 16});
  std::uint32_t correlation = 100;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Ns at = kBase + i * kMillisecond;
    trace.launches.push_back({at - 5000, at - 4000, correlation, 77, api, LaunchKind::Kernel});
    trace.launches.push_back({at + 3000, at + 6000, correlation + 1, 77, api, LaunchKind::Graph});
    // The second kernel stands first: records are in no particular order, and theirs must survive.
    trace.kernels.push_back(
        {at + 7000, at + 15000, at + 6000, 9007199254740993, correlation + 1, second, 1, 13, 5, 0});
    trace.kernels.push_back({at, at + 4000, 0, 0, correlation, first, 0, 7, 0, 1});
    trace.memops.push_back({at + 4100, at + 4200, 4096, correlation + 2, 7, 3, 1, MemopKind::CopyDtoD});
    trace.externalIds.push_back({i, correlation});
    trace.externalIds.push_back({i, correlation + 1});
    trace.externalIds.push_back({kPrepareId, correlation + 50});
    trace.iterations.push_back({at - 6000, at - 3000, at + 16000});
    trace.pings.push_back({at - 9000, at - 8000});
    correlation += 3;
  }
  trace.overheads.push_back({kBase + 20000, kBase + 21000, flush, 78});
  const std::uint32_t domain = trace.names.intern("CCCL"), forward = trace.names.intern("forward"),
                      unnamed = trace.names.intern("");
  trace.ranges = {{kBase - 5900, kBase - 3100, forward, unnamed, 77, RangeKind::Nested, RangeKnown::Whole},
                  {kBase - 5800, 0, forward, domain, 77, RangeKind::Free, RangeKnown::Beginning},
                  {0, kBase - 5700, unnamed, domain, 78, RangeKind::Nested, RangeKnown::End},
                  {kBase - 5600, kBase - 5600, forward, unnamed, 77, RangeKind::Mark, RangeKnown::Whole}};
  return trace;
}

std::shared_ptr<Pass> syntheticPass(std::uint32_t number, std::uint32_t implementation) {
  auto pass = std::make_shared<Pass>();
  pass->block = 1;
  pass->pass = number;
  pass->position = number + 1;
  pass->implementation = implementation;
  pass->method = "cupti";
  pass->l2 = "clean (partial)";
  pass->warmups = 11;
  pass->attempts = 2;
  pass->bufferBytes = 1 << 20;
  pass->startedUnixNs = kBase + number;
  pass->finishedUnixNs = kBase + number + 1;
  pass->loopWall = 123'456;
  pass->trace = syntheticTrace();
  pass->clock = {4300, 250, true};
  pass->telemetry.push_back({kBase + 5, 1980, 2619, 38, 132'500, std::uint64_t{1} << 63});
  pass->telemetry.push_back({kBase + 6, 1755, std::nullopt, std::nullopt, std::nullopt, std::nullopt});
  pass->use = DeviceUse{.processes = {{4'000'000'000, 83, std::int64_t{1} << 40}, {12, std::nullopt, -1}},
                        .ownPid = 12};
  return pass;
}

Gap syntheticGap(std::uint32_t iteration) {
  Gap gap;
  gap.start = kBase + iteration * kMillisecond + 4000;
  gap.end = gap.start + 3000;
  gap.copy = 100;
  gap.host = 1800;
  gap.instrument = 200;
  gap.device = 900;
  gap.entered = gap.start - 1000;
  gap.issued = gap.start + 2000;
  gap.iteration = iteration;
  gap.before = iteration * 2 + 1;
  gap.after = iteration * 2;
  gap.cause = iteration == 0 ? GapCause::HostLate : GapCause::Undecided;
  if (iteration == 1) {
    gap.oneCause = GapCause::LatencyExposed;
    gap.otherCause = GapCause::Queued;
  }
  return gap;
}

// What stands beside the numbers: the first implementation has all of it, the second why it has none.
void addSyntheticControls(Run& run) {
  auto held = syntheticPass(0, 0);
  held->control = "prequeued";
  for (std::uint32_t i = 0; i < 2; ++i) held->samples.push_back({12'000, 13'500, 2, 1, 100});
  run.controls.push_back(std::move(held));
  PrequeuedResult prequeued;
  prequeued.control = 0;
  prequeued.comparison = {.whyNoGaps = {},
                          .gaps = {{.position = 1,
                                    .before = "square",
                                    .after = "mean<float>, \"2\"",
                                    .normal = 8'000,
                                    .held = 1'500,
                                    .label = GapCause::HostLate,
                                    .labelled = 3,
                                    .count = 4,
                                    .result = ExperimentResult::Confirmed},
                                   {.position = 2,
                                    .before = "mean",
                                    .after = "scale",
                                    .normal = 1'700,
                                    .held = 1'600,
                                    .label = GapCause::LatencyExposed,
                                    .labelled = 4,
                                    .count = 4,
                                    .result = ExperimentResult::Disagrees}},
                          .latencyNormal = 21'000,
                          .latencyHeld = 15'100,
                          .gapNormal = 9'000,
                          .gapHeld = 3'100,
                          .hostNormal = 5'500,
                          .hostHeld = 7};
  run.implementations[0].prequeued = std::move(prequeued);
  run.implementations[0].tracingCost = TracingCost{.off = {4, 6'900, 6'800, 7'000, 6'700, 7'100, 100},
                                                   .on = {4, 8'100.25, 8'000, 8'200, 7'900, 8'300, 110},
                                                   .failure = {}};
  const ErrorInfo noGraph{ErrorCode::NotSupported, "The call cannot be captured", "Take the wait out.", {}};
  run.implementations[0].methods = {{.method = "records: busy",
                                     .l2 = "clean",
                                     .includes = "the number",
                                     .callsPerReading = 1,
                                     .perCall = {4, 12'500, 12'000, 14'000, 12'000, 14'000, 2'000},
                                     .failure = {}},
                                    {.method = "graph replay",
                                     .l2 = "warm",
                                     .includes = "kernels",
                                     .callsPerReading = 100,
                                     .perCall = {},
                                     .failure = noGraph}};
  run.implementations[1].prequeued.emplace().failure = noGraph;
  run.implementations[1].prequeued->comparison.whyNoGaps = "the kernels differ";
  run.implementations[1].tracingCost.emplace().failure = noGraph;
}

class Dump {
 public:
  template <class T>
  Dump& operator<<(const T& value) {
    text_ += fmt::format("{}\n", value);
    return *this;
  }
  // Bit patterns: -0.0, NaN and the last digit count too.
  Dump& operator<<(double value) { return *this << std::bit_cast<std::uint64_t>(value); }
  template <class T>
  Dump& operator<<(const std::optional<T>& value) {
    return value ? *this << *value : *this << "none";
  }
  Dump& operator<<(const ErrorInfo& e) {
    return *this << nameOf(e.code) << e.message << e.remedy << e.place.file << e.place.line << e.place.column;
  }
  Dump& operator<<(const Summary& s) {
    return *this << s.n << s.median << s.p10 << s.p90 << s.min << s.max << s.iqr;
  }
  Dump& operator<<(const Trace& t);
  Dump& operator<<(const Pass& p);
  Dump& operator<<(const ImplementationResult& r);
  Dump& operator<<(const CounterReading& c);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Dump& Dump::operator<<(const Trace& t) {
  *this << "kernels";
  for (const KernelRecord& k : t.kernels)
    *this << k.start << k.end << k.queued << k.graphNodeId << k.correlationId << k.nameId << k.shapeId
          << k.streamId << k.graphId << k.deviceId;
  *this << "memops";
  for (const MemopRecord& m : t.memops)
    *this << m.start << m.end << m.bytes << m.correlationId << m.streamId << m.graphId << m.deviceId
          << static_cast<int>(m.kind);
  *this << "launches";
  for (const LaunchRecord& l : t.launches)
    *this << l.start << l.end << l.correlationId << l.threadId << l.apiNameId << static_cast<int>(l.kind);
  *this << "overheads";
  for (const OverheadRecord& o : t.overheads) *this << o.start << o.end << o.nameId << o.threadId;
  *this << "ranges";
  for (const RangeRecord& r : t.ranges)
    *this << r.start << r.end << r.nameId << r.domainId << r.threadId << static_cast<int>(r.kind)
          << static_cast<int>(r.known);
  *this << "ids";
  for (const ExternalIdRecord& e : t.externalIds) *this << e.externalId << e.correlationId;
  *this << "names";
  for (std::uint32_t i = 0; i < t.names.size(); ++i) *this << t.names.text(i);
  *this << "shapes";
  for (const LaunchShape& s : t.shapes)
    *this << s.gridX << s.gridY << s.gridZ << s.blockX << s.blockY << s.blockZ << s.registersPerThread
          << s.staticSharedBytes << s.dynamicSharedBytes;
  *this << "marks";
  for (const IterationMark& m : t.iterations) *this << m.called << m.issued << m.drained;
  *this << "pings";
  for (const PingMark& p : t.pings) *this << p.seenRunning << p.released;
  return *this << t.dropped.proven << t.dropped.records;
}

Dump& Dump::operator<<(const Pass& p) {
  *this << p.control << p.block << p.pass << p.position << p.implementation << p.method << p.l2 << p.warmups
        << p.attempts << p.bufferBytes << p.startedUnixNs << p.finishedUnixNs << p.loopWall << p.trace
        << p.clock.launchLatency << p.clock.offsetLow << p.clock.offsetHigh << p.trace.oneClock
        << p.clock.known;
  *this << "telemetry";
  for (const TelemetrySample& t : p.telemetry)
    *this << t.at << t.smClockMhz << t.memoryClockMhz << t.temperatureC << t.powerMilliwatt
          << t.throttleReasons;
  *this << "use" << p.use.has_value();
  if (p.use) {
    *this << p.use->ownPid;
    for (const DeviceProcess& process : p.use->processes)
      *this << process.pid << process.smPercent << process.memoryBytes;
  }
  *this << "samples";
  for (const Sample& s : p.samples) *this << s.busy << s.latency << s.kernels << s.memops << s.memopTime;
  *this << "gaps";
  for (const Gap& g : p.gaps)
    *this << g.start << g.end << g.copy << g.host << g.instrument << g.device << g.entered << g.issued
          << g.iteration << g.before << g.after << nameOf(g.cause) << nameOf(g.oneCause)
          << nameOf(g.otherCause);
  return *this << p.failure;
}

Dump& Dump::operator<<(const CounterReading& c) {
  *this << c.l2 << c.l2Bytes << c.copies << c.together;
  for (const std::string& kernel : c.kernels) *this << kernel;
  for (const auto& call : c.calls) {
    *this << "call";
    for (const MemoryTraffic& t : call) *this << t.dramRead << t.dramWritten << t.l2 << t.profiled;
  }
  return *this;
}

Dump& Dump::operator<<(const ImplementationResult& r) {
  *this << r.name << r.doc << static_cast<int>(r.verification.state) << r.verification.compared
        << r.verification.elements << r.verification.tolerance << r.verification.worst << r.verification.where
        << r.failure << r.iterationCost << r.busy << r.latency << r.gap << r.kernelsMin << r.kernelsMax
        << r.kernelsMedian << r.memopsMedian << r.memopTimeMedian;
  *this << "totals";
  for (const GapTotal& t : r.gaps) *this << t.count << t.time << t.iterations;
  if (r.prequeued) {
    const PrequeuedComparison& c = r.prequeued->comparison;
    *this << "prequeued" << r.prequeued->control << r.prequeued->failure << c.whyNoGaps << c.latencyNormal
          << c.latencyHeld << c.gapNormal << c.gapHeld << c.hostNormal << c.hostHeld;
    for (const PrequeuedGap& g : c.gaps)
      *this << g.position << g.before << g.after << g.normal << g.held << nameOf(g.label) << g.labelled
            << g.count << nameOf(g.result);
  }
  if (r.tracingCost) *this << "tracing" << r.tracingCost->off << r.tracingCost->on << r.tracingCost->failure;
  for (const MethodReading& m : r.methods)
    *this << m.method << m.l2 << m.includes << m.callsPerReading << m.perCall << m.failure;
  return *this << "counters" << r.counters << r.countersRefused;
}

}  // namespace

Run syntheticRun() {
  Run run;
  run.op = "rms_norm";
  run.family = "normalisation";
  run.workload = "llama, \"8b\" prefill";
  run.dtype = "bfloat16";
  run.dims = {{"M", 2048}, {"N", 4096}};
  run.params = {{"eps", 1e-6}};
  run.flops = 0.1 + 0.2;  // not a short decimal
  run.bytes = 33'562'624;
  run.deviceId = "cuda:0";
  run.deviceName = "NVIDIA H200";
  run.figures = "GPU";
  run.method = "cupti";
  run.l2 = "clean";
  run.timestampTick = 32;
  run.memoryBytesPerSecond = 4.814e12;
  run.ceilings = Ceilings{"2026-01-31 12:00 UTC",
                          Ceiling{4.1e12 + 0.1, std::nullopt, "triad float32 n=134217728"},
                          Ceiling{7.9e14, 1'620.5, "gemm bfloat16 \"8k\""},
                          {"driver was 575.1, now 580.105"}};
  run.seed = 0xF000'0000'0000'0001;  // larger than SQLite's signed integers
  run.blocks = 2;
  run.startedUnixNs = kBase;
  run.finishedUnixNs = kBase + kSecond;
  run.cancelled = true;
  run.note = "a note with a \"quote\", a comma\nand a line";
  run.environment = {{"driver", "580.105"}, {"opscope", "0.1.0"}};
  run.implementations.resize(2);
  run.implementations[0].name = "one|pass";
  run.implementations[0].doc = "one fused kernel";
  run.implementations[0].verification = {
      VerificationRecord::State::Passed, 100, 8'388'608, 1.6e-2, 1e-3, "y[17, 204]"};
  run.implementations[0].iterationCost = 40'123;
  // Three calls of two kernels, one of which launched nothing the counters saw: a hole that must come back.
  run.implementations[0].counters = CounterReading{
      .l2 = "clean",
      .l2Bytes = 62'914'560,
      .copies = 1,
      .kernels = {"rms_norm<float, 4>(float const*, \"quoted\")", "scale"},
      .calls = {{{16'000'000, 1'000, 40'000'000, 9'000}, {2'000'000, 500'000, 8'000'000, 3'000}},
                {},
                {{18'000'000, 3'000, 44'000'000, 9'500}, {1'000'000, 700'000, 8'000'000, 3'100}}}};
  run.implementations[1].name = "eager";
  run.implementations[1].countersRefused =
      ErrorInfo{ErrorCode::DeviceUnavailable, "the counters may not be read", "Ask, or \"run\" as root.", {}};
  run.implementations[1].verification.worst = std::numeric_limits<double>::quiet_NaN();

  for (const std::uint32_t number : {0U, 2U}) {
    auto pass = syntheticPass(number, 0);
    const Ns extra = number * 1000;
    for (std::uint32_t i = 0; i < 2; ++i) {
      pass->samples.push_back({12'000 + extra, 15'000 + extra, 2, 1, 100});
      pass->gaps.push_back(syntheticGap(i));
    }
    run.passes.push_back(std::move(pass));
  }
  auto lost = syntheticPass(1, 1);
  lost->trace.dropped = {true, 12};
  lost->failure = ErrorInfo{
      ErrorCode::RecordsLost, "12 records were dropped", "Use a larger buffer.", {"ops.yaml", 3, 7}};
  run.passes.insert(run.passes.begin() + 1, std::move(lost));
  summariseRun(run);
  addSyntheticControls(run);
  run.findings.push_back({Finding::Severity::Warning,
                          "host-late",
                          "1 of 2 gaps is host-late.",
                          0,
                          0,
                          1,
                          1,
                          {{"gaps", 2, "count", ""},
                           {"share", 0.1 + 0.2, "share", ""},
                           {"cause", 0, "text", "host-late, \"said\""}}});
  run.findings.push_back(
      {Finding::Severity::Note, "few", "p10 and p90 come from 4 samples.", -1, -1, -1, -1, {}});
  return run;
}

std::string dump(const Run& run) {
  Dump out;
  out << run.op << run.family << run.workload << run.dtype << run.flops << run.bytes << run.deviceId
      << run.deviceName << run.figures << run.method << run.l2 << run.timestampTick << run.seed << run.blocks
      << run.startedUnixNs << run.finishedUnixNs << run.cancelled << run.note;
  for (const auto& [name, value] : run.dims) out << name << value;
  for (const auto& [name, value] : run.params) out << name << value;
  for (const auto& [name, value] : run.environment) out << name << value;
  for (const ImplementationResult& result : run.implementations) out << result;
  for (const auto& pass : run.passes) out << *pass;
  out << run.memoryBytesPerSecond << "ceilings" << run.ceilings.has_value();
  if (run.ceilings) {
    out << run.ceilings->measuredAt;
    for (const auto& ceiling : {run.ceilings->memory, run.ceilings->matrix}) {
      out << ceiling.has_value();
      if (ceiling) out << ceiling->perSecond << ceiling->smClockMhz << ceiling->probe;
    }
    for (const std::string& difference : run.ceilings->differences) out << difference;
  }
  out << "controls";
  for (const auto& pass : run.controls) out << *pass;
  for (const Finding& f : run.findings) {
    out << static_cast<int>(f.severity) << f.rule << f.sentence << f.implementation << f.pass << f.iteration
        << f.gap;
    for (const Evidence& e : f.evidence) out << e.name << e.value << e.unit << e.text;
  }
  return out.text();
}

std::string readText(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void writeText(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace opscope::test
