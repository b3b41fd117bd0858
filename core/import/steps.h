// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/imported_trace.h"

namespace opscope {

/// The annotations that are a trace's iterations, in order of their start.
struct Steps {
  std::vector<Annotation> stretches;
  std::vector<std::uint32_t> places;  ///< of each, among the annotations
  /// The one in which this process was at an instant: of several the one that began last. O(log n).
  std::optional<std::uint64_t> at(Ns instant, std::uint64_t processId) const;
  /// Those of each process, in order of their start and so of their end.
  std::map<std::uint64_t, std::vector<std::uint32_t>> ofProcess;
};

/// `name`: see ImportOptions::iterations. Those that a process runs inside one of its own with the same name
/// are no iterations but parts of one.
Steps findSteps(const std::vector<Annotation>& annotations, const StringTable& names,
                const std::string& name);

}  // namespace opscope
