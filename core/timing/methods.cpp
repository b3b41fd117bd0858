// SPDX-License-Identifier: Apache-2.0
#include "timing/methods.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "timing/stopping.h"

namespace opscope {
namespace {

constexpr std::uint32_t kReadings = 5;  // of what is a mean over many calls already
constexpr std::uint32_t kCallsInGraph = 100;
constexpr std::uint32_t kWarmCalls = 3;

class OtherMethods {
 public:
  OtherMethods(Device& device, Call& call, const Protocol& protocol, PassCounts counts,
               PassObserver& observer, std::stop_token stop, Progress progress)
      : device_(device),
        call_(call),
        protocol_(protocol),
        calls_(std::max(1U, counts.iterations)),
        observer_(observer),
        stop_(std::move(stop)),
        progress_(std::move(progress)),
        timer_(device.makeTimer()) {
    // A device without events of its own reads its clock in the stream instead.
    events_ = device.info().figures == FigureKind::HostCpu ? "clock" : "event";
  }

  std::vector<MethodReading> all() {
    std::vector<MethodReading> readings;
    readings.push_back(
        read(events_ + " pair", l2LabelOf(device_, protocol_),
             "kernels, gaps and both " + events_ + (clears() ? "s, behind the clear" : "s, and the launch"),
             1, [this] { return eventPairs(); }));
    readings.push_back(read(events_ + " loop", withoutClear(),
                            "kernels, gaps, and issuing where it is slower than the device", calls_,
                            [this] { return loops(); }));
    const std::uint32_t inGraph = callsInGraph();
    readings.push_back(read("graph replay", withoutClear(),
                            "kernels and the gaps of a graph; nothing of the host", inGraph,
                            [this, inGraph] { return replays(inGraph); }));
    readings.push_back(read("host wall clock", l2LabelOf(device_, protocol_),
                            "issuing, launch latency, kernels, gaps and the wait", 1,
                            [this] { return wallClock(); }));
    return readings;
  }

 private:
  MethodReading read(const std::string& method, const std::string& l2, const std::string& includes,
                     std::uint32_t callsPerReading, const std::function<std::vector<Ns>()>& measure) {
    MethodReading reading{.method = method,
                          .l2 = l2,
                          .includes = includes,
                          .callsPerReading = callsPerReading,
                          .perCall = {},
                          .failure = {}};
    progress_.phase = Phase::Measure;
    observer_.onProgress(progress_);
    try {
      warm();
      reading.perCall = summarise(measure());
    } catch (const DeviceLost&) {
      throw;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      reading.failure = error.info();
    }
    return reading;
  }

  bool clears() const { return protocol_.l2 == L2Mode::Clean || protocol_.l2 == L2Mode::Zero; }

  // Nothing can clear the caches between calls that are timed together.
  std::string withoutClear() const {
    return protocol_.l2 == L2Mode::Rotate ? l2LabelOf(device_, protocol_) : std::string(nameOf(L2Mode::Warm));
  }

  // Whole rounds over the copies, so that each replay finds the caches as the one before left them.
  std::uint32_t callsInGraph() const {
    const std::uint32_t wanted = std::min(calls_, kCallsInGraph);
    return std::max(1U, wanted / protocol_.copies) * protocol_.copies;
  }

  void warm() {
    for (std::uint32_t i = 0; i < kWarmCalls; ++i) call_.issue();
    device_.drain();
  }

  std::vector<Ns> eventPairs() {
    std::vector<Ns> values;
    for (std::uint32_t i = 0; i < calls_; ++i) {
      device_.clearCaches(protocol_.l2);
      timer_->start();
      call_.issue();
      timer_->stop();
      values.push_back(timer_->elapsed());
      throwIfStopped(device_, stop_);
    }
    return values;
  }

  std::vector<Ns> loops() {
    return readingsOf(calls_, [this] {
      for (std::uint32_t i = 0; i < calls_; ++i) call_.issue();
    });
  }

  std::vector<Ns> replays(std::uint32_t inGraph) {
    const auto graph = device_.captureGraph(call_, inGraph);
    graph->issue();
    device_.drain();
    return readingsOf(inGraph, [&] { graph->issue(); });
  }

  template <class Issue>
  std::vector<Ns> readingsOf(std::uint32_t calls, Issue issue) {
    std::vector<Ns> values;
    for (std::uint32_t r = 0; r < kReadings; ++r) {
      timer_->start();
      issue();
      timer_->stop();
      values.push_back((timer_->elapsed() + calls / 2) / calls);
      device_.drain();
      throwIfStopped(device_, stop_);
    }
    return values;
  }

  std::vector<Ns> wallClock() {
    std::vector<Ns> values;
    for (std::uint32_t i = 0; i < calls_; ++i) {
      device_.clearCaches(protocol_.l2);
      device_.drain();
      const Ns before = device_.now();
      call_.issue();
      device_.drain();
      values.push_back(device_.now() - before);
      throwIfStopped(device_, stop_);
    }
    return values;
  }

  Device& device_;
  Call& call_;
  const Protocol& protocol_;
  const std::uint32_t calls_;
  PassObserver& observer_;
  std::stop_token stop_;
  Progress progress_;
  std::unique_ptr<DeviceTimer> timer_;
  std::string events_;
};

}  // namespace

std::vector<MethodReading> recordReadings(const Summary& busy, const Summary& latency,
                                          const std::string& l2) {
  return {{.method = "records: busy",
           .l2 = l2,
           .includes = "the union of the kernels' execution: the number",
           .callsPerReading = 1,
           .perCall = busy,
           .failure = {}},
          {.method = "records: latency",
           .l2 = l2,
           .includes = "kernels and the gaps between them, widened by recording",
           .callsPerReading = 1,
           .perCall = latency,
           .failure = {}}};
}

std::vector<MethodReading> measureOtherMethods(Device& device, Call& call, const Protocol& protocol,
                                               PassCounts counts, PassObserver& observer,
                                               std::stop_token stop, Progress progress) {
  return OtherMethods(device, call, protocol, counts, observer, std::move(stop), std::move(progress)).all();
}

}  // namespace opscope
