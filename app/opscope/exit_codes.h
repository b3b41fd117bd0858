// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opscope::cli {

// Those that no ErrorCode has (see exitCodeOf for the rest).
inline constexpr int kMeasured = 0;
inline constexpr int kUsageError = 2;
inline constexpr int kNoDevice = 4;
inline constexpr int kBadInput = 5;
inline constexpr int kSlower = 9;
inline constexpr int kInterrupted = 130;

}  // namespace opscope::cli
