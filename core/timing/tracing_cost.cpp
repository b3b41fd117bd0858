// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/error.h"
#include "timing/methods.h"

namespace opscope {
namespace {

class TracingControl {
 public:
  TracingControl(Device& device, Call& call, const Protocol& protocol, std::stop_token stop)
      : device_(device),
        call_(call),
        protocol_(protocol),
        stop_(std::move(stop)),
        timer_(device.makeTimer()) {}

  std::vector<Ns> untraced(std::uint32_t iterations) {
    return round(iterations, [this](std::uint32_t) { time(); });
  }

  std::vector<Ns> traced(std::uint32_t iterations) {
    Collector& collector = device_.collector();
    collector.open({.bufferBytes = protocol_.bufferBytes});
    try {
      std::vector<Ns> values = round(iterations, [&](std::uint32_t i) {
        // The label stands outside the events, as it stands outside the kernels of a pass.
        collector.push(i);
        time();
        collector.pop();
      });
      collector.discard();
      return values;
    } catch (...) {
      collector.discard();
      throw;
    }
  }

 private:
  void time() {
    timer_->start();
    call_.issue();
    timer_->stop();
  }

  // As a pass runs them: cleared, drained, so that the call meets an idle device.
  template <class TimeOne>
  std::vector<Ns> round(std::uint32_t iterations, TimeOne timeOne) {
    std::vector<Ns> values;
    for (std::uint32_t i = 0; i < protocol_.settleIterations + iterations; ++i) {
      device_.clearCaches(protocol_.l2);
      device_.drain();
      timeOne(i);
      const Ns elapsed = timer_->elapsed();
      if (i >= protocol_.settleIterations) values.push_back(elapsed);
      if (!stop_.stop_requested()) continue;
      device_.drain();
      throw Cancelled("The measurement was stopped");
    }
    device_.drain();
    return values;
  }

  Device& device_;
  Call& call_;
  const Protocol& protocol_;
  std::stop_token stop_;
  std::unique_ptr<DeviceTimer> timer_;
};

}  // namespace

TracingCost measureTracingCost(Device& device, Call& call, const Protocol& protocol, std::uint32_t iterations,
                               PassObserver& observer, std::stop_token stop, Progress progress) {
  TracingControl control(device, call, protocol, std::move(stop));
  const std::uint32_t half = std::max(1U, (iterations + 1) / 2);
  std::vector<Ns> off, on;
  progress.phase = Phase::Measure;
  // Mirrored, so that a drift of the clocks falls on both alike.
  for (const bool traced : {false, true, true, false}) {
    observer.onProgress(progress);
    const std::vector<Ns> values = traced ? control.traced(half) : control.untraced(half);
    auto& into = traced ? on : off;
    into.insert(into.end(), values.begin(), values.end());
  }
  return {.off = summarise(off), .on = summarise(on), .failure = {}};
}

}  // namespace opscope
