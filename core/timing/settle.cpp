// SPDX-License-Identifier: Apache-2.0
#include "timing/settle.h"

#include "base/error.h"

namespace opscope {
namespace {

// Of one implementation in one round, the clears included: long enough for a median, short enough that a
// round of a few implementations sees one state of the clock.
constexpr Ns kSlice = 10 * kMillisecond;
constexpr std::size_t kFewest = 5;
constexpr std::size_t kMost = 50;

Summary timesOf(Device& device, DeviceTimer& timer, Call& call, L2Mode l2, const std::stop_token& stop) {
  std::vector<Ns> times;
  const Ns started = device.now();
  while (times.size() < kMost && (times.size() < kFewest || device.now() - started < kSlice)) {
    if (stop.stop_requested()) throw Cancelled("The measurement was stopped");
    device.clearCaches(l2);
    device.drain();
    timer.start();
    call.issue();
    timer.stop();
    times.push_back(timer.elapsed());
    device.drain();
  }
  return summarise(times);
}

}  // namespace

Settling settle(Device& device, const std::vector<SettlingCall>& calls, const Protocol& protocol,
                PassObserver& observer, const std::stop_token& stop) {
  Settling settling;
  settling.limit = settleLimitOf(protocol);
  TelemetrySource* const sensors = protocol.telemetry ? device.telemetrySource() : nullptr;
  const auto timer = device.makeTimer();
  std::vector<SettlingRound> rounds;
  const Ns started = device.now();
  do {
    SettlingRound round;
    for (const SettlingCall& call : calls) {
      observer.onProgress({.phase = Phase::Prepare, .implementation = call.name});
      round.times.push_back(timesOf(device, *timer, *call.call, protocol.l2, stop));
    }
    if (sensors != nullptr)
      if (const auto reading = sensors->read()) round.smClockMhz = reading->smClockMhz;
    if (rounds.empty()) settling.firstClockMhz = round.smClockMhz;
    settling.lastClockMhz = round.smClockMhz;
    rounds.push_back(std::move(round));
    settling.settled = isFlat(rounds);
    settling.took = device.now() - started;
  } while (!settling.settled && settling.took < settling.limit);
  settling.rounds = static_cast<std::uint32_t>(rounds.size());
  return settling;
}

}  // namespace opscope
