// SPDX-License-Identifier: Apache-2.0
#include "engine/count_memory.h"

#include "base/error.h"

namespace opscope {
namespace {

// Counts differ by sectors from call to call; a median of so few is exact enough, at 50 to 100 ms a call.
constexpr std::uint32_t kCountedCalls = 5;

// What must not be taken for a missing counter.
bool endsTheJob(ErrorCode code) {
  return code == ErrorCode::DeviceLost || code == ErrorCode::Cancelled || code == ErrorCode::WrongThread ||
         code == ErrorCode::Internal;
}

}  // namespace

void countMemory(Device& device, Call& call, L2Mode l2, ImplementationResult& result) {
  try {
    result.counters = device.readCounters(call, l2, kCountedCalls);
  } catch (const Error& error) {
    if (endsTheJob(error.code())) throw;
    result.countersRefused = error.info();
  }
}

}  // namespace opscope
