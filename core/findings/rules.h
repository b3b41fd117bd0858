// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope::findings {

/// What a rule about one implementation looks at: one that has a number, and its passes.
struct Subject {
  const Run& run;
  std::int32_t index;
  const ImplementationResult& result;
  std::vector<std::uint32_t> passes;  ///< into Run::passes

  const Pass& pass(std::uint32_t place) const { return *run.passes[passes[place]]; }
  std::uint64_t iterations() const { return result.busy.n; }
};

/// A finding under construction. Its sentence is made of its evidence and of nothing else, here and in one
/// way: a `{name}` in the text becomes the evidence of that name, formatted by its unit.
class Builder {
 public:
  Builder(Finding::Severity severity, std::string rule);
  /// About one implementation: `{implementation}` is its name.
  Builder(const Subject& subject, Finding::Severity severity, std::string rule);

  /// Units: "ns", "share" (of 1), "bytes", "bytes/s", "flop", "flop/s", "MHz", "C", "mW", "%", "count",
  /// "ratio"; a "pass" counts from 0 in the data and from 1 in the sentence.
  Builder& number(std::string name, double value, std::string unit);
  Builder& count(std::string name, std::uint64_t value);
  Builder& text(std::string name, std::string words);
  /// What a click on the sentence selects.
  Builder& at(std::int64_t pass, std::int64_t iteration = -1, std::int64_t gap = -1);
  Builder& about(std::uint32_t implementation);
  /// The finding, with `sentence` filled in. Throws InternalError for a name without evidence.
  Finding say(const std::string& sentence);

 private:
  std::string valueOf(const std::string& name) const;
  Finding found_;
};

// The rules, in groups. Each adds what it finds.
void ruleResults(const Subject& subject, std::vector<Finding>& out);
void ruleKernels(const Subject& subject, std::vector<Finding>& out);
void ruleGaps(const Subject& subject, std::vector<Finding>& out);
void ruleMemory(const Subject& subject, std::vector<Finding>& out);
void ruleExperiment(const Subject& subject, std::vector<Finding>& out);
void ruleSamples(const Subject& subject, std::vector<Finding>& out);
void ruleDevice(const Subject& subject, std::vector<Finding>& out);
/// About a run as a whole.
void ruleClocks(const Run& run, std::vector<Finding>& out);
void ruleProcesses(const Run& run, std::vector<Finding>& out);

}  // namespace opscope::findings
