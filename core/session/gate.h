// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

/// Whether anything became slower: what fails a build. Implementations without a number are not in it; their
/// failure is one already.
struct GateReport {
  std::vector<std::string> sentences;  ///< one per row, in the order of the implementations
  std::vector<ErrorInfo> refusals;     ///< what could not be compared
  std::size_t slower = 0;
  std::size_t undecided = 0;
  std::size_t rows = 0;  ///< that were compared

  void add(const GateReport& other);
};

/// A run's implementations against its baseline: the one that was asked for, else the first. `asked`: a
/// threshold as a share, where the comparison's own is less.
GateReport gateWithin(const Run& run, std::optional<double> asked);
/// A run's implementations against the same ones in an earlier session.
GateReport gateAgainst(const Run& run, std::span<const std::shared_ptr<const Run>> earlier,
                       std::optional<double> asked);

/// "Gate: 1 of 3 is slower, 1 undecided, 1 could not be compared."
std::string gateSentence(const GateReport& report);

}  // namespace opscope
