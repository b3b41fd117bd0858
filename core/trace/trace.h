// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "trace/correlation_index.h"
#include "trace/records.h"
#include "trace/string_table.h"

namespace opscope {

/// The id that labels everything between two calls: clearing L2 and other preparation. Never an iteration.
inline constexpr std::uint64_t kPrepareId = std::uint64_t{1} << 32;

/// A kernel that runs until the host lets it go, under kPingId + its number: what both sides saw of it bounds
/// the offset of their clocks from both sides, tighter than launches and waits do.
struct PingMark {
  Ns seenRunning = 0;  ///< the host had seen it run: it had started by then
  Ns released = 0;     ///< the host had not let it go yet: it had not ended by then
};
inline constexpr std::uint64_t kPingId = std::uint64_t{1} << 33;

/// What the instrument says about records it threw away. An unproven counter is unknown, never 0.
struct DropCount {
  bool proven = false;  ///< this process has seen the counter count
  std::uint64_t records = 0;
};

/// The host's side of one iteration, on the trace's clock: around the call, and when the drain after it
/// returned.
struct IterationMark {
  Ns called = 0;   ///< before the call
  Ns issued = 0;   ///< when the call returned to the launch thread
  Ns drained = 0;  ///< when the wait for the device returned; the next iteration was prepared in it, too
};

/// Everything recorded in one pass, nothing judged. Plain data: it can be stored, sent and replayed in tests.
/// Records stand in no particular order; nothing may depend on it.
struct Trace {
  std::vector<KernelRecord> kernels;
  std::vector<MemopRecord> memops;
  std::vector<LaunchRecord> launches;
  std::vector<OverheadRecord> overheads;
  std::vector<RangeRecord> ranges;  ///< on the clock of `iterations`
  std::vector<ExternalIdRecord> externalIds;
  StringTable names;
  std::vector<LaunchShape> shapes;
  std::vector<IterationMark> iterations;  ///< its size is the number of iterations of the pass
  std::vector<PingMark> pings;
  bool oneClock = false;  ///< host and device take their stamps from the same clock
  DropCount dropped;

  bool isPing(std::uint64_t externalId) const {
    return externalId >= kPingId && externalId - kPingId < pings.size();
  }

  std::uint32_t internShape(const LaunchShape& shape);
};

/// External id by correlation id, in O(1). The records must outlive it.
class ExternalIds {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  explicit ExternalIds(const std::vector<ExternalIdRecord>& records) : records_(records), index_(records) {}
  std::uint64_t operator[](std::uint32_t correlationId) const {
    const std::uint32_t at = index_[correlationId];
    return at == CorrelationIndex::kNone ? kNone : records_[at].externalId;
  }

 private:
  const std::vector<ExternalIdRecord>& records_;
  CorrelationIndex index_;
};

}  // namespace opscope
