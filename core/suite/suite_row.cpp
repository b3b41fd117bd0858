// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_row.h"

#include <algorithm>
#include <array>

#include "session/kept.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

double hostLateShare(const Run& run, std::uint32_t implementation) {
  Ns latency = 0;
  for (const Pass* pass : run.passesOf(implementation)) latency += latencyTotalOf(*pass);
  const GapTotals& gaps = run.implementations[implementation].gaps;
  constexpr auto kHostLate = static_cast<std::size_t>(GapCause::HostLate);
  if (latency <= 0 || gaps.size() <= kHostLate) return 0;
  return static_cast<double>(gaps[kHostLate].time) / static_cast<double>(latency);
}

}  // namespace

std::vector<SuiteRow> suiteRows(const Run& run, bool before,
                                const std::vector<std::shared_ptr<const Run>>* earlier) {
  std::vector<SuiteRow> rows;
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    const ImplementationResult& result = run.implementations[i];
    SuiteRow row;
    row.op = run.op;
    row.workload = run.workload;
    row.dtype = run.dtype;
    row.dims = run.dims;
    row.implementation = result.name;
    row.failure = result.failure;
    row.verification = verificationMark(result.verification);
    row.deviceName = run.deviceName;
    row.figures = run.figures;
    row.method = run.method;
    row.l2 = run.l2;
    row.before = before;
    if (result.hasNumber()) {
      row.busy = result.busy;
      row.latency = result.latency;
      row.kernelsMin = result.kernelsMin;
      row.kernelsMax = result.kernelsMax;
      row.idleShare = result.latency.median > 0 ? result.gap.median / result.latency.median : 0;
      row.hostLateShare = hostLateShare(run, i);
      row.flopsPerSecond = flopsPerSecond(run, result);
      row.bytesPerSecond = bytesPerSecond(run, result);
      row.efficiency = efficiencyOf(run, i);
    } else if (!row.failure) {
      row.failure = ErrorInfo{ErrorCode::Cancelled, "It was not measured", "Measure it again.", {}};
    }
    if (earlier != nullptr) row.since = sinceEarlier(run, i, *earlier);
    rows.push_back(std::move(row));
  }
  return rows;
}

int worstExitCode(const std::vector<SuiteRow>& rows) {
  constexpr std::array kWorstFirst{1, 8, 6, 3, 4, 5};
  for (const int code : kWorstFirst)
    if (std::any_of(rows.begin(), rows.end(), [code](const SuiteRow& row) {
          return row.failure && !row.notSupported() && exitCodeOf(row.failure->code) == code;
        }))
      return code;
  return 0;
}

}  // namespace opscope
