// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "gpu/gpu.h"

namespace opscope::test {

inline constexpr std::int64_t kMB = 1 << 20;
inline constexpr std::uint32_t kCalls = 9;  ///< so many are counted

/// Reads or copies `bytes` and does nothing else: what it moves is known.
struct Mover {
  Mover(Device& device, const std::string& kernel, std::int64_t bytes)
      : program(device, bytes / 4, {stepFor(device, kernel, bytes)}) {}
  static KernelStep stepFor(const Device& device, const std::string& kernel, std::int64_t bytes) {
    if (kernel == "read16")
      return step("read16", {"x", "y", "quads"},
                  {static_cast<std::uint32_t>(device.info().multiprocessors) * 8, 1, 1}, {512, 1, 1});
    return step("copy16", {"x", "y", "quads"}, {static_cast<std::uint32_t>((bytes / 16 + 255) / 256), 1, 1},
                {256, 1, 1});
  }
  Call& call() { return *program.call; }
  Program program;
};

inline double megabytes(double bytes) {
  return bytes / 1e6;
}

/// The median over the counted calls of what all kernels of a call moved together.
template <class Get>
double medianPerCall(const CounterReading& reading, Get get) {
  std::vector<double> sums;
  for (const auto& kernels : reading.calls) {
    double sum = 0;
    for (const MemoryTraffic& traffic : kernels) sum += static_cast<double>(get(traffic));
    sums.push_back(sum);
  }
  return medianOf(std::move(sums));
}
inline double readPerCall(const CounterReading& reading) {
  return medianPerCall(reading, [](const MemoryTraffic& t) { return t.dramRead; });
}
inline double writtenPerCall(const CounterReading& reading) {
  return medianPerCall(reading, [](const MemoryTraffic& t) { return t.dramWritten; });
}

/// Median busy of 60 calls, each after `prepare` has been waited for: the same meter whatever the caches went
/// through before, so that modes which the product does not offer can stand beside those it does.
inline double busyAfter(Device& device, Call& call, const std::function<void()>& prepare) {
  constexpr std::uint32_t kIterations = 60;
  Collector& collector = device.collector();
  collector.open({});
  for (std::uint32_t i = 0; i < kIterations + 4; ++i) {
    collector.push(kPrepareId);
    prepare();
    if (i < 4) call.issue();  // the start-up of the instrument
    collector.pop();
    device.drain();
    if (i < 4) continue;
    collector.push(i - 4);
    call.issue();
    collector.pop();
    device.drain();
  }
  Trace trace = collector.close();
  trace.iterations.resize(kIterations);
  std::vector<double> busy;
  for (const Sample& sample : measure(trace, attribute(trace)))
    busy.push_back(static_cast<double>(sample.busy));
  return medianOf(std::move(busy));
}

}  // namespace opscope::test
