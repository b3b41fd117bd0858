// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace opscope {

/// Integer nanoseconds, everywhere inside Opscope. Instants are on the clock of the trace they belong to
/// (CUPTI's on a GPU, the steady clock on the host device); a double would lose microseconds on epoch-sized
/// instants.
using Ns = std::int64_t;

inline constexpr Ns kMicrosecond = 1'000;
inline constexpr Ns kMillisecond = 1'000'000;
inline constexpr Ns kSecond = 1'000'000'000;

}  // namespace opscope
