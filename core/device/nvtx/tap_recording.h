// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "device/nvtx/tap.h"

namespace opscope {

enum class TapKind : std::uint32_t { Push, Pop, Start, End, Mark };

/// The one recording of a process. Any thread.
class TapRecording {
 public:
  static TapRecording& instance();

  bool start(const OpscopeTapClock& clock);
  bool stop(void (*each)(void*, const OpscopeTapEvent*), void* context);
  /// All that a program that marks itself pays while nobody records.
  bool on() const noexcept { return on_.load(std::memory_order_acquire); }

  void begin(TapKind kind, const char* domain, std::string_view name, std::uint64_t handle = 0) noexcept;
  void end(TapKind kind, const char* domain, std::uint64_t handle = 0) noexcept;
  std::uint64_t nextHandle() noexcept { return handle_.fetch_add(1, std::memory_order_relaxed); }
  /// A text that lives as long as the process: names of domains, registered strings.
  const char* keep(std::string_view text) noexcept;

 private:
  // A name with a number in it is another one each time: what is shown and sent stays bounded.
  static constexpr std::size_t kLongestName = 256, kMostNames = 65'536;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Texts = std::unordered_set<std::string, Hash, std::equal_to<>>;  // never moves what it holds

  const char* nameOf(std::string_view text);
  const char* intern(std::string_view text);

  std::atomic<bool> on_ = false;
  std::atomic<bool> outOfMemory_ = false;
  std::atomic<std::uint64_t> handle_ = 1;
  std::mutex mutex_;  // guards what follows
  OpscopeTapClock clock_{};
  std::vector<OpscopeTapEvent> events_;
  Texts names_;
  Texts kept_;
};

}  // namespace opscope
