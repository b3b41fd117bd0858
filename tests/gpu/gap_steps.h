// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>

#include "gpu/gpu.h"

namespace opscope::test {

/// A kernel that spins for the program's `ns`.
inline KernelStep spinStep() {
  return step("spin", {"ns"}, {1, 1, 1}, {32, 1, 1});
}

inline KernelStep sleeping(KernelStep step, Ns ns) {
  step.hostSleepNs = ns;
  return step;
}

inline KernelStep copyStep() {
  KernelStep copy;
  copy.kind = KernelStep::Kind::Copy;
  copy.args = {"y", "x"};
  return copy;
}

inline double medianGap(const Pass& pass) {
  std::vector<double> lengths;
  for (const Gap& gap : pass.gaps) lengths.push_back(static_cast<double>(gap.length()));
  return medianOf(std::move(lengths));
}

/// What most of a pass' gaps are labelled.
inline GapCause mostlyOf(const Pass& pass) {
  const GapTotals totals = totalByCause(pass.gaps);
  return static_cast<GapCause>(
      std::max_element(totals.begin(), totals.end(),
                       [](const GapTotal& a, const GapTotal& b) { return a.count < b.count; }) -
      totals.begin());
}

inline void printGaps(const char* what, const Pass& pass) {
  std::vector<double> host, device, copy;
  for (const Gap& gap : pass.gaps) {
    host.push_back(static_cast<double>(gap.host));
    device.push_back(static_cast<double>(gap.device));
    copy.push_back(static_cast<double>(gap.copy));
  }
  std::printf("GPU: %s: %zu gaps, median %.0f ns: host %.0f, device %.0f, copy %.0f; mostly %s\n", what,
              pass.gaps.size(), medianGap(pass), medianOf(host), medianOf(device), medianOf(copy),
              std::string(nameOf(mostlyOf(pass))).c_str());
}

}  // namespace opscope::test
