// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/run.h"
#include "session/summary_rows.h"

namespace opscope {

struct SuiteRow;

/// What became of a row since an earlier session. No block holds both, so the verdict is by how the passes of
/// the two lie to each other (session/earlier.h), and a ratio alone decides nothing.
struct Since {
  enum class Kind : std::uint8_t {
    Compared,
    Lost,     ///< it had a number then, and has none now
    New,      ///< it had none then
    Refused,  ///< another device, method, state of L2, clock: the sentence says which
  } kind = Kind::New;
  double then = 0;                     ///< median of busy, ns; Compared and Lost
  double ratio = 0;                    ///< now / then; Compared
  std::optional<RatioInterval> range;  ///< each pass now / each pass then; Compared with enough passes
  Threshold threshold;
  bool otherKernels = false;
  std::vector<std::string> kernelsOnlyThen;
  std::vector<std::string> kernelsOnlyNow;
  std::vector<std::string> differences;  ///< in the environment, in words
  bool fewPasses = false;                ///< undecided whatever the times: a side has too few passes
  Verdict verdict = Verdict::Undecided;
  std::string sentence;  ///< with the evidence; why there is nothing to compare with for New
};

/// One implementation of a run since the runs of an earlier session. `asked`: a threshold, as a share, where
/// the comparison's own is less.
Since sinceEarlier(const Run& run, std::uint32_t implementation,
                   std::span<const std::shared_ptr<const Run>> earlier, std::optional<double> asked = {});

/// The rows that were compared, those with other kernels first, then slower, lost, undecided, faster, same
/// and what could not be compared. Below it a sentence for each whose kernels differ or whose verdict is
/// slower or faster.
FurtherTable sinceTable(const std::vector<SuiteRow>& rows, const std::string& earlier);
/// "Since last.opscope: 2 slower (1 of them with other kernels), ..."
std::string sinceSentence(const std::vector<SuiteRow>& rows, const std::string& earlier);
/// Whether a row is slower than it was, or has lost its number.
bool anySlower(const std::vector<SuiteRow>& rows);

}  // namespace opscope
