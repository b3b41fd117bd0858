// SPDX-License-Identifier: Apache-2.0
#include "suite/since.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/format.h"
#include "session/comparison.h"
#include "session/earlier.h"
#include "suite/suite_row.h"

namespace opscope {
namespace {

// The latest number of the same work on a device of the same name: what a row without one has lost.
double medianThen(const Run& run, const std::string& implementation,
                  std::span<const std::shared_ptr<const Run>> earlier) {
  double median = 0;
  for (const auto& then : earlier) {
    if (then->op != run.op || then->workload != run.workload || then->dims != run.dims ||
        then->dtype != run.dtype || then->deviceName != run.deviceName)
      continue;
    for (const ImplementationResult& result : then->implementations)
      if (result.name == implementation && result.hasNumber()) median = result.busy.median;
  }
  return median;
}

// Where a row stands in the table. What is not of one thing comes first, before anybody reads its ratio.
int rankOf(const Since& since) {
  if (since.kind == Since::Kind::New) return 7;
  if (since.kind == Since::Kind::Refused) return 6;
  if (since.otherKernels) return 0;
  if (since.kind == Since::Kind::Lost) return 2;
  switch (since.verdict) {
    case Verdict::Slower:
      return 1;
    case Verdict::Undecided:
      return 3;
    case Verdict::Faster:
      return 4;
    case Verdict::Same:
      break;
  }
  return 5;
}

std::string verdictText(const Since& since) {
  switch (since.kind) {
    case Since::Kind::New:
      return "no number then";
    case Since::Kind::Lost:
      return "no number now";
    case Since::Kind::Refused:
      return "not comparable";
    case Since::Kind::Compared:
      break;
  }
  return fmt::format("{}{}{}", since.otherKernels ? "different kernels; " : "", nameOf(since.verdict),
                     since.fewPasses ? " (few passes)" : "");
}

bool isWorthASentence(const Since& since) {
  return since.kind == Since::Kind::Lost ||
         (since.kind == Since::Kind::Compared &&
          (since.otherKernels || since.verdict == Verdict::Slower || since.verdict == Verdict::Faster));
}

}  // namespace

Since sinceEarlier(const Run& run, std::uint32_t implementation,
                   std::span<const std::shared_ptr<const Run>> earlier, std::optional<double> asked) {
  const ImplementationResult& result = run.implementations.at(implementation);
  Since since;
  since.then = medianThen(run, result.name, earlier);
  if (since.then <= 0) {
    if (result.hasNumber())
      since.sentence = earlierSentence(run, compareWithEarlier(run, implementation, earlier, asked));
    return since;
  }
  if (!result.hasNumber()) {
    since.kind = Since::Kind::Lost;
    since.sentence = fmt::format("{} had {} then, and has no number now", result.name, formatNs(since.then));
    if (result.failure) since.sentence += ": " + failureText(*result.failure);
    return since;
  }
  const AgainstEarlier row = compareWithEarlier(run, implementation, earlier, asked);
  since.sentence = earlierSentence(run, row);
  if (row.refusal) {
    since.kind = Since::Kind::Refused;
    return since;
  }
  since.kind = Since::Kind::Compared;
  since.then = row.earlier->implementations.at(row.earlierImplementation).busy.median;
  since.ratio = row.ratio;
  since.otherKernels = !row.kernelsOnlyNow.empty() || !row.kernelsOnlyThen.empty();
  since.range = row.range;
  since.threshold = row.threshold;
  since.kernelsOnlyThen = row.kernelsOnlyThen;
  since.kernelsOnlyNow = row.kernelsOnlyNow;
  since.differences = row.differences;
  since.fewPasses = !row.range;
  since.verdict = row.verdict;
  return since;
}

FurtherTable sinceTable(const std::vector<SuiteRow>& rows, const std::string& earlier) {
  std::vector<const SuiteRow*> sorted;
  for (const SuiteRow& row : rows)
    if (row.since && row.since->kind != Since::Kind::New) sorted.push_back(&row);
  std::stable_sort(sorted.begin(), sorted.end(), [](const SuiteRow* a, const SuiteRow* b) {
    const int left = rankOf(*a->since), right = rankOf(*b->since);
    return left != right ? left < right : a->since->ratio > b->since->ratio;
  });
  FurtherTable table{fmt::format("Since {} (ratio is now / then)", earlier),
                     {"op", "workload", "dtype", "implementation", "then", "now", "ratio", "verdict"},
                     {0, 1, 2, 3, 7},
                     {},
                     {}};
  for (const SuiteRow* row : sorted) {
    const Since& since = *row->since;
    table.rows.push_back({row->op, row->workload, row->dtype, row->implementation, formatNs(since.then),
                          row->measured() ? formatNs(row->busy.median) : "-",
                          since.kind == Since::Kind::Compared ? ratioNumber(since.ratio) : "-",
                          verdictText(since)});
    if (isWorthASentence(since))
      table.remarks.push_back(
          fmt::format("{} {} {}: {}", row->op, row->workload, row->dtype, since.sentence));
  }
  // One reason holds for all rows of a session, as a rule: said once for each row it would hide the others.
  const auto refused = std::find_if(sorted.begin(), sorted.end(), [](const SuiteRow* row) {
    return row->since->kind == Since::Kind::Refused;
  });
  if (refused != sorted.end()) table.remarks.push_back((*refused)->since->sentence);
  return table;
}

std::string sinceSentence(const std::vector<SuiteRow>& rows, const std::string& earlier) {
  std::size_t otherKernels = 0;
  std::size_t fewPasses = 0;
  std::array<std::size_t, 8> count{};
  for (const SuiteRow& row : rows) {
    if (!row.since) continue;
    Since since = *row.since;
    if (since.otherKernels) ++otherKernels;
    if (since.fewPasses) ++fewPasses;
    since.otherKernels = false;  // counted apart
    ++count.at(static_cast<std::size_t>(rankOf(since)));
  }
  std::string text = fmt::format("Since {}: ", earlier);
  if (otherKernels > 0) text += fmt::format("{} with different kernels; ", otherKernels);
  text +=
      fmt::format("{} slower, {} faster, {} the same, {} undecided", count[1], count[4], count[5], count[3]);
  if (fewPasses > 0)
    text += fmt::format(" ({} of them for want of passes: measure both with --blocks {})", fewPasses,
                        kPassesForRange);
  if (count[2] > 0) text += fmt::format(", {} without a number now", count[2]);
  if (count[6] > 0) text += fmt::format(", {} not comparable", count[6]);
  if (count[7] > 0) text += fmt::format(", {} without a number then", count[7]);
  return text + ". The sessions share no block, so drift between them does not cancel.";
}

bool anySlower(const std::vector<SuiteRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const SuiteRow& row) {
    return row.since && (row.since->kind == Since::Kind::Lost ||
                         (row.since->kind == Since::Kind::Compared && row.since->verdict == Verdict::Slower));
  });
}

}  // namespace opscope
