// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/efficiency.h"
#include "session/run.h"
#include "suite/since.h"

namespace opscope {

/// One implementation of one op, workload and dtype, as a suite's tables show it. Kept without its records: a
/// suite has more of them than a table needs.
struct SuiteRow {
  std::string op;
  std::string workload;
  std::string dtype;
  std::map<std::string, std::int64_t> dims;
  std::string implementation;
  std::optional<ErrorInfo> failure;
  Summary busy;     ///< ns; n = 0 after a failure
  Summary latency;  ///< ns
  std::uint32_t kernelsMin = 0;
  std::uint32_t kernelsMax = 0;
  double idleShare = 0;      ///< of the latency, in no kernel: the medians' share
  double hostLateShare = 0;  ///< of the latency, while the host was late: over all iterations
  double flopsPerSecond = 0;
  double bytesPerSecond = 0;
  std::optional<Efficiency> efficiency;  ///< of the device's ceilings, where they are known
  std::string verification;
  std::string deviceName;
  std::string figures;
  std::string method;
  std::string l2;
  std::optional<Since> since;  ///< an earlier session, where there is one to compare with
  bool before = false;         ///< the session had it already

  bool measured() const { return !failure && busy.n > 0; }
  /// Nothing went wrong: the device, or this implementation, does not do this.
  bool notSupported() const { return failure && failure->code == ErrorCode::NotSupported; }
};

/// One row per implementation. `earlier`: the runs of a session that it is compared with; null for none.
std::vector<SuiteRow> suiteRows(const Run& run, bool before,
                                const std::vector<std::shared_ptr<const Run>>* earlier = nullptr);

/// Of all that failed, the exit code of the worst: 1, 8, 6, 3, 4, 5 in this order; 0 when nothing did. What
/// is not supported has not failed.
int worstExitCode(const std::vector<SuiteRow>& rows);

}  // namespace opscope
