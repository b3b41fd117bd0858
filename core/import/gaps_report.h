// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "import/imported_trace.h"
#include "import/trace_gaps.h"

namespace opscope {

/// What `opscope gaps` says of a trace: as text for a terminal, and as JSON with every figure in integer ns
/// (docs/command-line.md names the members). `longest`: how many gaps are listed one by one, longest first.
struct GapsReport {
  std::string file;  ///< as it was named
  const ImportedTrace* trace = nullptr;
  TraceSelection selection;
  TraceGaps gaps;
  std::size_t longest = 10;
};

/// Throws NoKernel when the trace has no kernel, BadInput when it has some and the selection none.
GapsReport reportGaps(const std::string& file, const ImportedTrace& trace, const TraceSelection& selection,
                      std::size_t longest);

std::string gapsTable(const GapsReport& report);
std::string gapsJson(const GapsReport& report);

}  // namespace opscope
