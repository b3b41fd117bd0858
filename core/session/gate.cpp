// SPDX-License-Identifier: Apache-2.0
#include "session/gate.h"

#include <fmt/format.h>

#include "session/comparison.h"
#include "session/earlier.h"

namespace opscope {
namespace {

void count(Verdict verdict, GateReport& report) {
  ++report.rows;
  if (verdict == Verdict::Slower) ++report.slower;
  if (verdict == Verdict::Undecided) ++report.undecided;
}

void refuse(ErrorInfo refusal, GateReport& report) {
  report.sentences.push_back(describe(refusal));
  report.refusals.push_back(std::move(refusal));
}

}  // namespace

void GateReport::add(const GateReport& other) {
  sentences.insert(sentences.end(), other.sentences.begin(), other.sentences.end());
  refusals.insert(refusals.end(), other.refusals.begin(), other.refusals.end());
  slower += other.slower;
  undecided += other.undecided;
  rows += other.rows;
}

GateReport gateWithin(const Run& run, std::optional<double> asked) {
  GateReport report;
  const std::uint32_t baseline = run.baseline.value_or(0);
  if (run.implementations.size() < 2) {
    refuse({ErrorCode::BadInput,
            fmt::format("{} was measured by one implementation: there is nothing it could be slower than",
                        run.op),
            "Name two with --impl, or an earlier session with --baseline.",
            {}},
           report);
    return report;
  }
  if (!run.implementations.at(baseline).hasNumber()) {
    refuse({ErrorCode::BadInput,
            fmt::format("The baseline {} has no number to compare with", run.implementations[baseline].name),
            "Its own failure says why; --baseline names another.",
            {}},
           report);
    return report;
  }
  if (!run.comparison) return report;  // the others failed, which is said and counted
  for (const AgainstBaseline& each : run.comparison->rows) {
    const AgainstBaseline row = judgedFrom(each, asked);
    report.sentences.push_back(verdictSentence(run, *run.comparison, row));
    count(row.verdict, report);
  }
  return report;
}

GateReport gateAgainst(const Run& run, std::span<const std::shared_ptr<const Run>> earlier,
                       std::optional<double> asked) {
  GateReport report;
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    if (!run.implementations[i].hasNumber()) continue;
    const AgainstEarlier row = compareWithEarlier(run, i, earlier, asked);
    if (row.refusal) {
      refuse(*row.refusal, report);
      continue;
    }
    report.sentences.push_back(earlierSentence(run, row));
    count(row.verdict, report);
  }
  return report;
}

std::string gateSentence(const GateReport& report) {
  const std::string slower = report.slower == 0 ? "none" : fmt::format("{}", report.slower);
  std::string text = report.rows == 0 ? "Gate: nothing was compared"
                                      : fmt::format("Gate: {} of {} {} slower", slower, report.rows,
                                                    report.slower > 1 ? "are" : "is");
  if (report.undecided > 0) text += fmt::format(", {} undecided", report.undecided);
  if (!report.refusals.empty()) text += fmt::format(", {} could not be compared", report.refusals.size());
  return text + ".";
}

}  // namespace opscope
