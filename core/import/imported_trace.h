// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace opscope {

/// A stretch that the traced program named, on the host.
struct Annotation {
  Ns start = 0;
  Ns end = 0;
  std::uint32_t nameId = 0;     ///< into Trace::names
  std::uint64_t processId = 0;  ///< equal for equal processes; not always the system's number
  std::uint32_t threadId = 0;
};

/// A device that the trace's own words describe.
struct ImportedDevice {
  std::uint32_t id = 0;
  std::string name;
  std::string architecture;  ///< "sm_80"; empty where the trace does not say
};

/// What a trace leaves open. Nothing of it is filled in by a guess: a kernel without a launch record stays
/// one.
struct ImportGaps {
  std::uint64_t kernelsWithoutLaunch = 0;       ///< of all kernels: no launch record carries their id
  std::uint64_t kernelsWithoutCorrelation = 0;  ///< of those: they carry no id; they were given unused ones
  std::uint64_t ambiguousLaunches = 0;          ///< launch records left out because several carry the same id
  std::uint64_t launchesWithoutWork = 0;        ///< launch records that nothing on a device answers
  std::uint64_t kernelsOutside = 0;             ///< kernels that no iteration launched, as far as is known
  std::uint64_t unknownStreams = 0;             ///< kernels and copies that name no stream or no device
};

/// What stands for a stream or device that the trace does not name.
inline constexpr std::uint32_t kUnknownId = ~std::uint32_t{0};

/// A trace that another program recorded. Instants are those of the file, in ns; nothing was measured here.
struct ImportedTrace {
  std::string tool;          ///< "PyTorch profiler (Kineto)", or "an unknown program (Chrome trace)"
  std::uint64_t events = 0;  ///< all that stand in the file, of every kind
  /// The wall time of the trace's 0, ns since 1970; nullopt when the file does not say what its clock is.
  std::optional<std::int64_t> zeroUnixNs;
  /// Iterations are the annotations that were asked for; without any, one that is the whole trace.
  Trace trace;
  std::vector<std::string> iterationNames;  ///< one per iteration: "ProfilerStep#3"; empty: the whole trace
  std::vector<Annotation> annotations;      ///< in the order of the file
  std::vector<ImportedDevice> devices;
  ImportGaps gaps;
};

}  // namespace opscope
