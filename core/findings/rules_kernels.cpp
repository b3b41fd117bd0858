// SPDX-License-Identifier: Apache-2.0
// What a call ran, and whether it was the same every time.
#include <set>
#include <string>

#include "findings/rules.h"

namespace opscope::findings {
namespace {

using Severity = Finding::Severity;

// A kernel that one pass has and the other has not.
std::string onlyInOne(const std::set<std::string>& a, const std::set<std::string>& b) {
  for (const std::string& name : a)
    if (!b.contains(name)) return name;
  for (const std::string& name : b)
    if (!a.contains(name)) return name;
  return {};
}

void differentKernels(const Subject& subject, std::vector<Finding>& out) {
  if (subject.passes.size() < 2) return;
  const auto first = kernelNames(subject.pass(0).trace);
  for (const std::uint32_t p : subject.passes) {
    const auto names = kernelNames(subject.run.passes[p]->trace);
    if (names == first) continue;
    out.push_back(Builder(subject, Severity::Warning, "different-kernels")
                      .number("pass", p, "pass")
                      .number("first", subject.passes.front(), "pass")
                      .text("kernel", onlyInOne(names, first))
                      .at(p)
                      .say("{implementation}: pass {pass} ran other kernels than pass {first} (only one of "
                           "them has {kernel}); their times are not of one thing."));
    return;
  }
}

void changingKernelCount(const Subject& subject, std::vector<Finding>& out) {
  const ImplementationResult& result = subject.result;
  if (result.kernelsMin == result.kernelsMax) return;
  out.push_back(Builder(subject, Severity::Warning, "changing-kernel-count")
                    .count("least", result.kernelsMin)
                    .count("most", result.kernelsMax)
                    .number("median", result.kernelsMedian, "count")
                    .say("{implementation}: the number of kernels changes from call to call, {least} to "
                         "{most} (median {median})."));
}

void memopsOutsideBusy(const Subject& subject, std::vector<Finding>& out) {
  std::uint64_t with = 0, memops = 0;
  Ns time = 0;
  for (const std::uint32_t p : subject.passes)
    for (const Sample& sample : subject.run.passes[p]->samples) {
      with += sample.memops > 0 ? 1 : 0;
      memops += sample.memops;
      time += sample.memopTime;
    }
  if (with == 0) return;
  const auto each = [&](double all) { return all / static_cast<double>(subject.iterations()); };
  out.push_back(Builder(subject, Severity::Warning, "memops-outside-busy")
                    .number("memops", each(static_cast<double>(memops)), "count")
                    .number("time", each(static_cast<double>(time)), "ns")
                    .count("with", with)
                    .count("iterations", subject.iterations())
                    .number("share",
                            static_cast<double>(time) / static_cast<double>(subject.iterations()) /
                                subject.result.busy.median,
                            "share")
                    .say("{implementation}: the call makes {memops} copies or fills, {time} per iteration "
                         "({share} of busy), that busy does not count; in {with} of {iterations} "
                         "iterations."));
}

}  // namespace

void ruleKernels(const Subject& subject, std::vector<Finding>& out) {
  differentKernels(subject, out);
  changingKernelCount(subject, out);
  memopsOutsideBusy(subject, out);
}

}  // namespace opscope::findings
