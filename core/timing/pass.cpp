// SPDX-License-Identifier: Apache-2.0
#include "timing/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/format.h"
#include "timing/stopping.h"
#include "timing/telemetry_sampler.h"

namespace opscope {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Warm-ups run back to back; a queue of more than this would only hide a Stop from the user.
constexpr std::uint32_t kWarmupsPerDrain = 16;
constexpr std::uint32_t kCalibrationCalls = 3;
// The best of a few decides; together they take well under a millisecond.
constexpr std::uint32_t kPings = 16;
// A window redraws for every report, on the cores next door to what is being measured.
constexpr std::chrono::milliseconds kReportEvery{100};

std::int64_t unixNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class Label {
 public:
  Label(Collector& collector, std::uint64_t id) : collector_(collector) { collector_.push(id); }
  ~Label() { collector_.pop(); }
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;

 private:
  Collector& collector_;
};

// An open collection that is thrown away unless it is closed: whatever ends a pass early leaves nothing
// recording.
class Collection {
 public:
  Collection(Collector& collector, const CollectOptions& options) : collector_(collector) {
    collector_.open(options);
  }
  ~Collection() {
    if (collector_.isOpen()) collector_.discard();
  }
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;
  Trace close() { return collector_.close(); }

 private:
  Collector& collector_;
};

class Reporter {
 public:
  Reporter(PassObserver& observer, Progress progress) : observer_(observer), progress_(std::move(progress)) {}

  void enter(Phase phase, std::uint32_t iterations = 0) {
    progress_.phase = phase;
    progress_.iteration = 0;
    progress_.iterations = iterations;
    report();
  }
  void at(std::uint32_t iteration) {
    if (SteadyClock::now() - last_ < kReportEvery) return;
    progress_.iteration = iteration;
    report();
  }

 private:
  void report() {
    observer_.onProgress(progress_);
    last_ = SteadyClock::now();
  }
  PassObserver& observer_;
  Progress progress_;
  SteadyClock::time_point last_{};
};

void warmUp(Device& device, Call& call, L2Mode l2, std::uint32_t warmups, Reporter& reporter,
            const std::stop_token& stop) {
  reporter.enter(Phase::WarmUp, warmups);
  for (std::uint32_t w = 0; w < warmups; ++w) {
    device.clearCaches(l2);
    call.issue();
    if (w % kWarmupsPerDrain == kWarmupsPerDrain - 1) device.drain();
    throwIfStopped(device, stop);
    reporter.at(w);
  }
  device.drain();
}

void prepareIteration(Device& device, Collector& collector, L2Mode l2) {
  const Label label(collector, kPrepareId);
  device.clearCaches(l2);
}

// The first launches after enabling cost the host over 100 us each: they are made here, so that no
// iteration's latency carries the start-up of the instrument.
void settle(Device& device, Call& call, Collector& collector, const Protocol& protocol) {
  for (std::uint32_t s = 0; s < protocol.settleIterations; ++s) {
    const Label label(collector, kPrepareId);
    device.clearCaches(protocol.l2);
    call.issue();
    device.drain();
  }
}

[[noreturn]] void throwWaitsInside(Device& device, Ns patience) {
  device.drain();
  throw NotSupported(
      fmt::format(
          "The call waits for the device inside itself, so it cannot be queued ahead: it had not been "
          "issued whole after {}",
          formatNs(static_cast<double>(patience))),
      "A call of more than about a thousand launches fills the device's queue and waits as well.");
}

}  // namespace

std::string_view nameOf(Phase phase) {
  switch (phase) {
    case Phase::Prepare:
      return "prepare";
    case Phase::Verify:
      return "verify";
    case Phase::Calibrate:
      return "calibrate";
    case Phase::WarmUp:
      return "warm up";
    case Phase::Measure:
      return "measure";
    case Phase::Flush:
      return "flush";
    case Phase::Attribute:
      return "attribute";
    case Phase::Count:
      return "count memory traffic";
    case Phase::Done:
      return "done";
  }
  return "done";
}

Ns calibrate(Device& device, Call& call, L2Mode l2) {
  device.clearCaches(l2);
  call.issue();
  device.drain();
  const auto timer = device.makeTimer();
  if (device.clearCountsInBudget()) {
    timer->start();
    for (std::uint32_t c = 0; c < kCalibrationCalls; ++c) {
      device.clearCaches(l2);
      call.issue();
    }
    timer->stop();
    const Ns elapsed = timer->elapsed();
    device.drain();
    return elapsed / kCalibrationCalls;
  }
  Ns total = 0;
  for (std::uint32_t c = 0; c < kCalibrationCalls; ++c) {
    device.clearCaches(l2);
    device.drain();
    timer->start();
    call.issue();
    timer->stop();
    total += timer->elapsed();
    device.drain();
  }
  return total / kCalibrationCalls;
}

Ns uncountedClear(Device& device, L2Mode l2) {
  if (device.clearCountsInBudget()) return 0;
  Ns least = std::numeric_limits<Ns>::max();
  for (std::uint32_t c = 0; c < kCalibrationCalls; ++c) {
    const Ns from = device.now();
    device.clearCaches(l2);
    device.drain();
    least = std::min(least, device.now() - from);
  }
  return least;
}

Pass runPass(Device& device, Call& call, const Protocol& protocol, PassCounts counts, PassObserver& observer,
             std::stop_token stop, Progress progress) {
  Reporter reporter(observer, std::move(progress));
  Pass pass;
  pass.method = device.info().method;
  pass.l2 = l2LabelOf(device, protocol);
  if (protocol.holdPatience > 0) pass.control = kPrequeued;
  pass.warmups = counts.warmups;
  pass.bufferBytes = protocol.bufferBytes;
  pass.startedUnixNs = unixNow();
  TelemetrySampler sampler(protocol.telemetry ? device.telemetrySource() : nullptr);
  warmUp(device, call, protocol.l2, counts.warmups, reporter, stop);

  Collector& collector = device.collector();
  std::vector<IterationMark> marks(counts.iterations);
  std::vector<PingMark> pings;
  reporter.enter(Phase::Measure, counts.iterations);
  {
    // The reading at the loop's begin is taken meanwhile, and is over before the first iteration.
    sampler.request();
    Collection collection(collector, {.bufferBytes = protocol.bufferBytes});
    settle(device, call, collector, protocol);
    pings = device.pingClock(kPings);
    sampler.await();
    const auto loopStart = SteadyClock::now();
    prepareIteration(device, collector, protocol.l2);
    device.drain();
    for (std::uint32_t i = 0; i < counts.iterations; ++i) {
      // The hold stands before the call in the stream, and the watchdog ends it should the call wait for it.
      const auto held = protocol.holdPatience > 0 ? device.hold(protocol.holdPatience) : nullptr;
      marks[i].called = device.now();
      {
        const Label label(collector, i);
        call.issue();
      }
      marks[i].issued = device.now();
      if (held && !held->release()) throwWaitsInside(device, protocol.holdPatience);
      // The next clear is queued right behind the call, where its launch costs the device no time, and one
      // drain then serves both: the stream's order keeps it out of the call, the drain keeps the call out of
      // the next iteration.
      if (i + 1 < counts.iterations) prepareIteration(device, collector, protocol.l2);
      device.drain();
      marks[i].drained = device.now();
      throwIfStopped(device, stop);
      reporter.at(i);
    }
    pass.loopWall =
        std::chrono::duration_cast<std::chrono::nanoseconds>(SteadyClock::now() - loopStart).count();
    pass.finishedUnixNs = unixNow();
    sampler.request();
    reporter.enter(Phase::Flush);
    pass.trace = collection.close();
  }
  pass.trace.iterations = std::move(marks);
  pass.trace.pings = std::move(pings);
  reporter.enter(Phase::Attribute);
  judge(pass);
  TelemetrySampler::Readings readings = sampler.finish();
  pass.telemetry = std::move(readings.samples);
  pass.use = std::move(readings.use);
  return pass;
}

namespace {

// Between issue and start stands the hold, not the launch of a kernel on an idle device: that latency is not
// known here, and what it says of the clocks is worth little. But nothing starts before the hold lets go.
void boundByHold(Pass& pass, const Attribution& attribution) {
  pass.clock.launchLatency = 0;
  if (!pass.clock.known || pass.trace.oneClock) return;
  for (std::size_t i = 0; i < attribution.iterations(); ++i) {
    const Ns start = pass.trace.kernels[attribution.kernelsOf(i).front()].start;
    pass.clock.offsetHigh = std::min(pass.clock.offsetHigh, start - pass.trace.iterations[i].issued);
  }
  pass.clock.offsetLow = std::min(pass.clock.offsetLow, pass.clock.offsetHigh);
}

}  // namespace

void judge(Pass& pass) {
  pass.samples.clear();
  pass.gaps.clear();
  pass.failure.reset();
  try {
    const Attribution attribution = attribute(pass.trace);
    pass.samples = measure(pass.trace, attribution);
    pass.clock = clockBounds(pass.trace, attribution, pass.samples);
    if (pass.control == kPrequeued) boundByHold(pass, attribution);
    pass.gaps = findGaps(pass.trace, attribution, pass.clock);
  } catch (const Error& error) {
    pass.failure = error.info();
  }
}

}  // namespace opscope
