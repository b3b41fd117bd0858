// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "stats/block_comparison.h"
#include "stats/method_reading.h"
#include "stats/settling.h"
#include "stats/summary.h"
#include "trace/counters.h"
#include "trace/pass.h"
#include "trace/prequeued_gaps.h"

namespace opscope {

/// How an implementation's result was checked, kept with its numbers.
struct VerificationRecord {
  enum class State : std::uint8_t { NotChecked, Passed, Failed } state = State::NotChecked;
  std::int64_t compared = 0;
  std::int64_t elements = 0;
  double tolerance = 0;
  double worst = 0;
  std::string where;
};

/// The pre-queued experiment on one implementation.
struct PrequeuedResult {
  std::int32_t control = -1;  ///< into Run::controls; -1 when there is no pass
  PrequeuedComparison comparison;
  std::optional<ErrorInfo> failure;  ///< set: why there is no comparison
};

/// One implementation of a run and the numbers that hold for it over all its passes.
struct ImplementationResult {
  std::string name;
  std::string doc;
  VerificationRecord verification;
  std::optional<ErrorInfo> failure;  ///< set: there is no number, anywhere
  Ns iterationCost = 0;              ///< by calibration, with the clear
  // Pooled over all passes; n = 0 after a failure.
  Summary busy;
  Summary latency;
  Summary gap;  ///< per iteration, then summarised
  std::uint32_t kernelsMin = 0;
  std::uint32_t kernelsMax = 0;
  double kernelsMedian = 0;
  double memopsMedian = 0;
  Ns memopTimeMedian = 0;
  GapTotals gaps;                            ///< by cause, over all passes; empty after a failure
  std::optional<CounterReading> counters;    ///< what the memory moved, where that was asked for
  std::optional<ErrorInfo> countersRefused;  ///< why it was not counted; the numbers stand without it
  // Controls and other methods, where they were asked for. They stand beside the number and never enter it.
  std::optional<PrequeuedResult> prequeued;
  std::optional<TracingCost> tracingCost;
  std::vector<MethodReading> methods;
  bool hasNumber() const { return !failure && busy.n > 0; }
};

/// One thing that a finding rests on.
struct Evidence {
  std::string name;  ///< "share", "p90": unique within its finding
  double value = 0;
  std::string unit;  ///< "ns", "share", "count", ...; "text": it is words
  std::string text;
  bool operator==(const Evidence&) const = default;
};

/// A sentence about a run, with the evidence it rests on.
struct Finding {
  enum class Severity : std::uint8_t { Note, Warning } severity = Severity::Note;
  std::string rule;                  ///< stable id, as in "host-late"
  std::string sentence;              ///< what a person reads; every number in it comes from the run
  std::int32_t implementation = -1;  ///< into Run::implementations; -1: the run
  std::int32_t pass = -1;            ///< what the link selects; -1: nothing
  std::int32_t iteration = -1;
  std::int32_t gap = -1;           ///< into Pass::gaps
  std::vector<Evidence> evidence;  ///< everything the sentence says, as data
};

/// Everything that is needed to read the numbers: in what environment they were made. Ordered names to text.
using Environment = std::map<std::string, std::string>;

/// How far apart two implementations of this device may seem that are one and the same: the A/A noise floor,
/// as a share (0.01 is 1 %), with where it was measured.
struct NoiseFloor {
  double share = 0;
  std::string measuredAt;                ///< date and time: "2026-01-31 12:00 UTC"
  std::vector<std::string> differences;  ///< to the environment of the run: "driver was 575.1, now 580.2"
  bool operator==(const NoiseFloor&) const = default;
};

/// What a device reached in one probe of `opscope ceilings`.
struct Ceiling {
  double perSecond = 0;              ///< bytes of memory, operations of a matrix product
  std::optional<double> smClockMhz;  ///< while it was measured, where that is known
  std::string probe;                 ///< "triad float32 n=134217728"
  bool operator==(const Ceiling&) const = default;
};

/// What is known of what a run's device can do, as it was when the run was made.
struct Ceilings {
  std::string measuredAt;                ///< date and time: "2026-01-31 12:00 UTC"
  std::optional<Ceiling> memory;         ///< of the fastest probe
  std::optional<Ceiling> matrix;         ///< of the run's dtype
  std::vector<std::string> differences;  ///< to the environment of the run
  /// Whether they are of this device as it is: in another environment they say nothing.
  bool hold() const { return differences.empty(); }
  bool operator==(const Ceilings&) const = default;
};

/// One measurement of one workload by one or several implementations.
struct Run {
  std::string op;
  std::string family;
  std::string workload;
  std::string dtype;
  std::map<std::string, std::int64_t> dims;
  std::map<std::string, double> params;
  double flops = 0;  ///< of one call, as the op claims
  double bytes = 0;
  std::string deviceId;
  std::string deviceName;
  std::string figures;  ///< "GPU", "host CPU", "simulated"
  std::string method;
  std::string l2;
  Ns timestampTick = 1;
  double memoryBytesPerSecond = 0;  ///< what the device's memory could carry at most; 0 when unknown
  std::uint64_t seed = 0;
  std::uint32_t blocks = 1;
  std::int64_t startedUnixNs = 0;
  std::int64_t finishedUnixNs = 0;
  bool cancelled = false;  ///< ended early: only the finished passes are here
  std::string note;
  Environment environment;
  std::vector<ImplementationResult> implementations;
  std::vector<std::shared_ptr<const Pass>> passes;    ///< in the order they ran
  std::vector<std::shared_ptr<const Pass>> controls;  ///< control passes: kept apart, never pooled
  std::vector<Finding> findings;
  std::optional<std::uint32_t> baseline;      ///< the implementation that was asked to be it
  std::optional<NoiseFloor> noiseFloor;       ///< of the device, when one is known
  std::optional<Ceilings> ceilings;           ///< of the device, when any are known
  std::optional<Settling> settling;           ///< absent without a settling phase
  std::optional<BlockComparison> comparison;  ///< absent unless two implementations have a number

  std::vector<const Pass*> passesOf(std::uint32_t implementation) const;
};

/// Fills each implementation's pooled numbers from the run's passes (and `failure` from a failed pass), and
/// compares them. Idempotent.
void summariseRun(Run& run);

/// The rate at which busy time does the claimed work: FLOP/s and bytes/s; 0 without a number.
double flopsPerSecond(const Run& run, const ImplementationResult& result);
double bytesPerSecond(const Run& run, const ImplementationResult& result);

/// Which iteration's busy time is the one nearest to the pooled median, over all passes of an implementation.
struct IterationRef {
  std::uint32_t pass = 0;
  std::uint32_t iteration = 0;
  bool operator==(const IterationRef&) const = default;
};
std::optional<IterationRef> medianIteration(const Run& run, std::uint32_t implementation);

}  // namespace opscope
