// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/ns.h"

namespace opscope {

/// What a device says it did, as trivially copyable integers. All instants are integer nanoseconds on the
/// trace's clock; 0 means that the device gave none. Names and launch shapes are interned (see Trace).

/// One kernel that the device ran.
struct KernelRecord {
  Ns start = 0;
  Ns end = 0;
  Ns queued = 0;  ///< when the command entered the queue; 0 without latency timestamps
  std::uint64_t graphNodeId = 0;
  std::uint32_t correlationId = 0;  ///< of the API call that launched it
  std::uint32_t nameId = 0;         ///< into Trace::names
  std::uint32_t shapeId = 0;        ///< into Trace::shapes
  std::uint32_t streamId = 0;
  std::uint32_t graphId = 0;  ///< 0 when not launched by a graph
  std::uint32_t deviceId = 0;
};

enum class MemopKind : std::uint8_t { CopyHtoD, CopyDtoH, CopyDtoD, CopyHtoH, CopyPeer, Set, Other };

/// One copy or fill that the device ran. Never counted in busy.
struct MemopRecord {
  Ns start = 0;
  Ns end = 0;
  std::int64_t bytes = 0;
  std::uint32_t correlationId = 0;
  std::uint32_t streamId = 0;
  std::uint32_t graphId = 0;
  std::uint32_t deviceId = 0;
  MemopKind kind = MemopKind::Other;
};

enum class LaunchKind : std::uint8_t { Kernel, Graph, Copy, Set, Other };

/// One API call that put work into a stream, on the host.
struct LaunchRecord {
  Ns start = 0;
  Ns end = 0;
  std::uint32_t correlationId = 0;
  std::uint32_t threadId = 0;
  std::uint32_t apiNameId = 0;  ///< into Trace::names, as in "cudaLaunchKernelExC"
  LaunchKind kind = LaunchKind::Other;
};

/// Time that the instrument itself took, as the instrument says.
struct OverheadRecord {
  Ns start = 0;
  Ns end = 0;
  std::uint32_t nameId = 0;  ///< into Trace::names, as in "BUFFER_FLUSH"
  std::uint32_t threadId = 0;
};

enum class RangeKind : std::uint8_t {
  Nested,  ///< pushed and popped on one thread
  Free,    ///< started and ended by a handle, on any threads: may overlap any other
  Mark,    ///< one instant: `end` is `start`
};

/// What of a range was recorded. What was not is not made up.
enum class RangeKnown : std::uint8_t {
  Whole,
  Beginning,  ///< it never ended while records were made: `end` is 0
  End,        ///< it was begun before, or never: `start` is 0, and it has no name
};

/// A stretch of the host's time that the op gave a name to while it ran (NVTX). In no figure.
struct RangeRecord {
  Ns start = 0;
  Ns end = 0;
  std::uint32_t nameId = 0;    ///< into Trace::names
  std::uint32_t domainId = 0;  ///< into Trace::names: who marks ("CCCL"); the empty name is the default one
  std::uint32_t threadId = 0;  ///< on which it was begun; where that is unknown, ended
  RangeKind kind = RangeKind::Nested;
  RangeKnown known = RangeKnown::Whole;
};

/// The id that the launch thread had pushed when the API call with this correlation id was made.
struct ExternalIdRecord {
  std::uint64_t externalId = 0;
  std::uint32_t correlationId = 0;
};

/// How a kernel was launched. Interned: a pass has few distinct ones.
struct LaunchShape {
  std::uint32_t gridX = 0, gridY = 0, gridZ = 0;
  std::uint32_t blockX = 0, blockY = 0, blockZ = 0;
  std::uint32_t registersPerThread = 0;
  std::uint32_t staticSharedBytes = 0;
  std::uint32_t dynamicSharedBytes = 0;
  bool operator==(const LaunchShape&) const = default;
};

static_assert(std::is_trivially_copyable_v<KernelRecord> && sizeof(KernelRecord) <= 64);
static_assert(std::is_trivially_copyable_v<MemopRecord> && sizeof(MemopRecord) <= 64);
static_assert(std::is_trivially_copyable_v<LaunchRecord> && sizeof(LaunchRecord) <= 64);
static_assert(std::is_trivially_copyable_v<OverheadRecord> && sizeof(OverheadRecord) <= 64);
static_assert(std::is_trivially_copyable_v<RangeRecord> && sizeof(RangeRecord) <= 64);
static_assert(std::is_trivially_copyable_v<ExternalIdRecord>);

}  // namespace opscope
