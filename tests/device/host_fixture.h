// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/host/host_device.h"

namespace opscope::host {

/// A host device with one function of the test's own, "f".
struct HostFixture {
  explicit HostFixture(Function function) {
    functions.add("f", std::move(function));
    device = openHostDevice(functions, {.clearBytes = 1 << 20});
  }
  std::unique_ptr<Call> prepare(std::vector<TensorArg> tensors = {},
                                std::map<std::string, ScalarArg> scalars = {}) {
    return device->prepare({.label = "op/f",
                            .tensors = std::move(tensors),
                            .scalars = std::move(scalars),
                            .body = HostFunctionCall{"f"}});
  }
  /// Issues the call once, recorded, under an id.
  Trace record(Call& call, std::uint64_t id = 0, std::int64_t bufferBytes = 1 << 20) {
    Collector& collector = device->collector();
    collector.open({.bufferBytes = bufferBytes});
    collector.push(id);
    call.issue();
    collector.pop();
    device->drain();
    return collector.close();
  }

  Functions functions;
  std::unique_ptr<Device> device;
};

/// Something that one thread waits for and another brings about. Waiting is bounded, so that a device that
/// fails the test does not hang it.
class Gate {
 public:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    opened_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return opened_.wait_for(lock, std::chrono::seconds(20), [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

/// The kernels in the order in which they were launched.
inline std::vector<KernelRecord> kernelsByLaunch(const Trace& trace) {
  std::vector<KernelRecord> kernels = trace.kernels;
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.correlationId < b.correlationId; });
  return kernels;
}

/// The external id of a kernel; nullopt when it carries none.
inline std::optional<std::uint64_t> idOf(const Trace& trace, const KernelRecord& kernel) {
  const std::uint64_t id = ExternalIds(trace.externalIds)[kernel.correlationId];
  return id == ExternalIds::kNone ? std::nullopt : std::optional(id);
}

inline const LaunchRecord* launchOf(const Trace& trace, std::uint32_t correlationId) {
  const auto found = std::find_if(trace.launches.begin(), trace.launches.end(),
                                  [&](const auto& launch) { return launch.correlationId == correlationId; });
  return found == trace.launches.end() ? nullptr : &*found;
}

inline const KernelRecord& kernelNamed(const Trace& trace, std::string_view name) {
  const auto found = std::find_if(trace.kernels.begin(), trace.kernels.end(), [&](const auto& kernel) {
    return trace.names.text(kernel.nameId) == name;
  });
  if (found == trace.kernels.end()) throw std::logic_error("no kernel was recorded as " + std::string(name));
  return *found;
}

}  // namespace opscope::host
