// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "base/format.h"
#include "session/run.h"

namespace opscope::ui {

/// What the verdict bar says of one implementation. After a failure all figures are empty strings.
struct ImplementationVerdict {
  QString letter;  ///< "A"
  QString name;
  bool failed = false;
  QString figure;       ///< "12.61 us busy"
  QString spread;       ///< "p10 12.50  p90 12.80  n = 200"
  QString latency;      ///< "latency 31.2 us, 9 kernels"
  QString idle;         ///< "idle 61 %"; empty for a single kernel
  QString efficiency;   ///< "87.4 % of the memory ceiling"; empty where no ceiling holds
  QString causes;       ///< "host-late 8 of 8 gaps, 48.1 us"
  QString compared;     ///< against the baseline, as the command line says it; empty for the baseline
  QString mark;         ///< "not verified", "WRONG RESULT"; empty when verified
  QString failureName;  ///< "OffThreadLaunch"
  QString sentence;
  QString remedy;
};

struct VerdictText {
  std::vector<ImplementationVerdict> verdicts;
  QString method;   ///< "cupti, GPU figures"
  QString l2;       ///< "L2 clean"
  QString dropped;  ///< "0 dropped", "drops unknown"
  QString device;
  QString remark;  ///< "stopped early"; empty otherwise
};

/// What a run says, in the order in which it is read. Pure.
VerdictText verdictOf(const Run& run);

/// The unit in which all times of a run are shown beside each other.
TimeUnit unitOf(const Run& run);

/// Median gap against median latency, as in every table and file; 0 without a number.
double idleShare(const Run& run, std::uint32_t implementation);

}  // namespace opscope::ui
