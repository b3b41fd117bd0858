// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "device/host/stream.h"

namespace opscope::host {

/// The streams of a device, each started when it is first used, and the way of every command into them. Any
/// thread, except where a function says otherwise.
class Streams {
 public:
  static constexpr std::uint32_t kMost = 16;

  Streams(Recorder& recorder, FailureLatch& failure, const cpu_set_t& cores);
  /// Finishes everything.
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  Stream& main() { return *streams_[0]; }

  /// Issues a command as an API call would: with a correlation id, and a launch record when recording. A
  /// command on another stream starts when the main one has reached `mainTicket`. Throws BadInput for a
  /// stream that does not exist, DeviceLost.
  void launch(std::string_view name, std::function<void()> kernel, std::uint32_t stream = 0,
              std::uint64_t mainTicket = 0);
  void memop(MemopKind kind, std::int64_t bytes, std::function<void()> run, std::uint32_t stream = 0,
             std::uint64_t mainTicket = 0);

  /// Lets the main stream wait for what the others have to do by now.
  void join();
  /// Waits until every stream has done everything. Does not judge.
  void waitIdle();
  /// The same, then throws DeviceLost when something failed.
  void drain();

  // Launch thread, no work in flight.
  void moveRecordsTo(Trace& trace);
  void forgetRecords() noexcept;
  void reserveRecords(std::int64_t budgetBytes);

 private:
  Stream& at(std::uint32_t stream);
  void issue(LaunchKind kind, Work work, std::uint32_t stream, std::uint64_t mainTicket);
  template <class Visit>
  void forEach(Visit visit) {
    for (auto& started : started_)
      if (Stream* stream = started.load(std::memory_order_acquire)) visit(*stream);
  }

  Recorder& recorder_;
  FailureLatch& failure_;
  const cpu_set_t cores_;
  std::mutex starting_;
  std::array<std::unique_ptr<Stream>, kMost> streams_;
  std::array<std::atomic<Stream*>, kMost> started_{};
};

}  // namespace opscope::host
