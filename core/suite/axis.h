// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/plan.h"
#include "suite/suite_tables.h"

namespace opscope {

/// One dimension of a workload, and the sizes it takes.
struct Axis {
  std::string dim;
  std::vector<std::int64_t> sizes;
};

inline constexpr std::size_t kMostPoints = 1000;

/// "M=128:8192:2x" (each twice the last, up to 8192), "M=128:1024:+128", "M=64,100,3000". Throws BadInput.
Axis parseAxis(const std::string& text);

/// One job per size, on the workload of `base` (the op's first when it names none). Throws UnknownName.
std::vector<PlannedJob> planSweep(const CatalogueInfo& catalogue, const std::string& deviceKind,
                                  const Job& base, const Axis& axis);

/// A row per size and implementation, the size first; where there is no number, the reason.
FurtherTable sweepTable(const SuiteResult& result, const Axis& axis);
/// The rows as suiteCsv has them, the size first.
std::string sweepCsv(const SuiteResult& result, const Axis& axis);

}  // namespace opscope
