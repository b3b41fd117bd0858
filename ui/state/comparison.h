// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "session/earlier.h"
#include "session/run.h"
#include "state/verdict.h"

namespace opscope::ui {

/// What others are compared with: one implementation of one run.
struct Baseline {
  std::shared_ptr<const Run> run;
  std::uint32_t implementation = 0;
  bool operator==(const Baseline&) const = default;
};

/// One implementation beside the others.
struct ComparisonRow {
  std::shared_ptr<const Run> run;
  std::uint32_t implementation = 0;
  bool isBaseline = false;
  bool hasNumber = false;
  Summary busy;
  Summary latency;
  std::vector<double> passMedians;  ///< of busy, in the order the passes ran
  /// Median busy minus the baseline's; absent where the two must not be compared, and then `note` says why.
  std::optional<double> differenceNs;
  /// What the core makes of the two; absent for the baseline, and where they were not measured in the same
  /// blocks.
  std::optional<AgainstBaseline> against;
  /// The same against a pinned baseline of another run, of the implementation of the same name.
  std::optional<AgainstEarlier> earlier;
  QString note;  ///< the verdict in words, or why there is none

  const ImplementationResult& result() const { return run->implementations[implementation]; }
};

/// The implementations of a run against the baseline: the pinned one, which comes first when it is of another
/// run, else the one of the run's own comparison. Against another run the implementation of the baseline's
/// name is judged as the gate does, by how the passes of both lie to each other (session/earlier.h); the
/// others have a difference of medians alone, for they shared no block. No difference is made across
/// workloads, devices, methods or L2 modes. Pure.
std::vector<ComparisonRow> comparisonOf(const std::shared_ptr<const Run>& run,
                                        const std::optional<Baseline>& pinned);

/// What a run says, and of the implementation that has the pinned baseline's name how it compares with that.
/// Pure.
VerdictText verdictOf(const std::shared_ptr<const Run>& run, const std::optional<Baseline>& pinned);

/// "0.6804 [0.6710, 0.6902]": the ratio to an earlier run, with the extremes of its passes where there are
/// enough.
QString ratioText(const AgainstEarlier& row);

}  // namespace opscope::ui
