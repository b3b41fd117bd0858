// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/device.h"
#include "device/host/memory.h"
#include "device/host/streams.h"

namespace opscope::host {

/// Evicts the CPU's caches by running over a buffer, as a kernel of the main stream. On the launch thread.
class CacheClearer {
 public:
  /// The buffer is twice the last-level cache, but at most `mostBytes`: a cache of hundreds of MB cannot be
  /// cleared in a useful time. `cacheBytes` 0 means unknown: that takes `mostBytes`, and is
  /// called partial.
  CacheClearer(std::int64_t cacheBytes, std::int64_t mostBytes);
  /// Queues the clear. Allocates the buffer the first time; throws OutOfMemory.
  void clear(Streams& streams, L2Mode mode);
  /// "clean", or "clean (partial)" when the cache is larger than half the buffer, or of unknown size.
  std::string label(L2Mode mode) const;
  std::int64_t bufferBytes() const { return bufferBytes_; }

 private:
  std::int64_t bufferBytes_;
  bool partial_;
  std::optional<HostMemory> buffer_;
};

}  // namespace opscope::host
