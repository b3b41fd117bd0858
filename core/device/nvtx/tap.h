// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What libopscope_nvtx.so and the program it is loaded into say to each other. Plain C: NVTX loads the
// library by its path, the program by the same one, and both reach the one recording that it holds.

extern "C" {

/// The clock of a recording, and the number of the calling thread in it. Called on any thread, as often as
/// the program marks itself; never after the program has ended.
struct OpscopeTapClock {
  std::int64_t (*now)();
  std::uint32_t (*thread)();
};

/// One call of NVTX's. The texts are UTF-8 and live until the next recording starts.
struct OpscopeTapEvent {
  std::int64_t at;
  std::uint64_t handle;  ///< of kinds 2 and 3
  const char* name;      ///< empty for kinds 1 and 3
  const char* domain;    ///< empty: the default one
  std::uint32_t thread;
  std::uint32_t kind;  ///< 0 push, 1 pop, 2 start, 3 end, 4 mark
};

/// `opscope_tap_start`: records from now on; 0 when somebody else in the process is recording.
using OpscopeTapStart = int (*)(const OpscopeTapClock* clock);
/// `opscope_tap_stop`: stops, and hands over what was recorded, in order. 0 when host memory ran out for
/// some.
using OpscopeTapStop = int (*)(void (*each)(void* context, const OpscopeTapEvent* event), void* context);
}

namespace opscope {

inline constexpr const char* kTapFile = "libopscope_nvtx.so";
inline constexpr const char* kTapStart = "opscope_tap_start";
inline constexpr const char* kTapStop = "opscope_tap_stop";

}  // namespace opscope
