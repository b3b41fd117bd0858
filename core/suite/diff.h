// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "suite/suite_row.h"

namespace opscope {

/// What became of every op, workload and implementation from one set of runs to another: rows as a suite
/// compares itself with an earlier session (suite/since.h), the latest number of each on both sides, under
/// the same key only (device, method, L2, clocks).
struct SessionDiff {
  /// What only one side has, or has a number of under the same key.
  struct Alone {
    std::string row;  ///< "rms_norm llama bfloat16 by one-pass"
    std::string why;
  };
  std::string then;  ///< what the sides are called
  std::string now;
  std::vector<SuiteRow> rows;  ///< those that have something to be compared with, in the order of `now`
  std::vector<Alone> onlyThen;
  std::vector<Alone> onlyNow;
  bool anyCompared() const;
};

/// `asked`: a threshold, as a share, where the comparison's own is less. Pure.
SessionDiff diffOf(std::string thenName, std::span<const std::shared_ptr<const Run>> then,
                   std::string nowName, std::span<const std::shared_ptr<const Run>> now,
                   std::optional<double> asked = {});

/// The rows, different kernels first; what has no partner.
std::vector<FurtherTable> diffTables(const SessionDiff& diff);
/// "Since last.opscope: 2 slower, ..."
std::string diffSentence(const SessionDiff& diff);
std::string diffJson(const SessionDiff& diff);

}  // namespace opscope
