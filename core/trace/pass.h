// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/gaps.h"
#include "trace/measure.h"
#include "trace/telemetry.h"
#include "trace/trace.h"

namespace opscope {

/// How much of a pass its session kept. Each keeps less than the one before.
enum class RecordsKept : std::uint8_t {
  All,
  Summary,  ///< each iteration's reading, and no record: no timeline, no kernels, no gaps
  None,     ///< not even these: what they add up to over the pass
};

struct PassFigures;  // session/kept.h

/// One pass of one implementation: what was recorded, and what follows from it. Written once, then read only.
struct Pass {
  // Where it stands in the comparison. All count from 0.
  std::uint32_t block = 0;           ///< mirrored round
  std::uint32_t pass = 0;            ///< in the order the passes ran, over all implementations
  std::uint32_t position = 0;        ///< within its block
  std::uint32_t implementation = 0;  ///< into Run::implementations
  // How it was measured: these travel with every number.
  std::string method;   ///< "cupti", "host-records"
  std::string l2;       ///< "clean", "zero", "warm", "clean (partial)"
  std::string control;  ///< empty; "prequeued" for a control pass, which is kept apart and never pooled
  std::uint32_t warmups = 0;
  std::uint32_t attempts = 1;       ///< 1 + how often records were lost and the pass was measured again
  std::int64_t bufferBytes = 0;     ///< the record buffer's size in the attempt that counted
  std::int64_t startedUnixNs = 0;   ///< wall time before the warm-up
  std::int64_t finishedUnixNs = 0;  ///< wall time after the last drain
  Ns loopWall = 0;                  ///< wall time of the timed loop, all iterations
  Trace trace;
  ClockBounds clock;
  std::vector<TelemetrySample> telemetry;  ///< in the order they were read, the warm-up's first
  std::optional<DeviceUse> use;            ///< at the end; nullopt where the device does not tell
  // What follows. Empty when `failure` says why there is no number.
  std::vector<Sample> samples;
  std::vector<Gap> gaps;
  std::optional<ErrorInfo> failure;
  /// Less than All in a pass that was read from a session which kept less: `trace` then has no records, and
  /// of the names those of the kernels alone. `samples` and `gaps` are empty as RecordsKept says.
  RecordsKept kept = RecordsKept::All;
  std::shared_ptr<const PassFigures> figures;  ///< set where `kept` is not All
};

}  // namespace opscope
