// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "suite/suite_tables.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

namespace {

using RunPointer = std::shared_ptr<const Run>;

// Four passes of ten calls; pass p takes busy + p ns, so that passes lie 3 ns apart at most.
RunPointer runOf(const std::string& workload, Ns busy, const std::string& kernel = "kernel",
                 const std::string& device = "A GPU") {
  Run run;
  run.op = "norm";
  run.workload = workload;
  run.dtype = "float16";
  run.dims = {{"M", 128}};
  run.deviceName = device;
  run.figures = "simulated";
  run.method = "scripted";
  run.l2 = "clean";
  run.implementations.push_back({.name = "one-pass"});
  for (std::uint32_t p = 0; p < 4; ++p) {
    auto pass = std::make_shared<Pass>();
    pass->pass = p;
    pass->method = run.method;
    pass->l2 = run.l2;
    pass->trace.names.intern(kernel);
    pass->trace.shapes.emplace_back();
    for (std::uint32_t i = 0; i < 10; ++i) {
      const Ns start = i * 1'000'000;
      KernelRecord record;
      record.start = start;
      record.end = start + busy + p;
      record.correlationId = i + 1;
      pass->trace.kernels.push_back(record);
      pass->trace.externalIds.push_back({i, i + 1});
      pass->trace.iterations.push_back({start, start, start + busy + p});
      pass->samples.push_back({busy + p, busy + p, 1, 0, 0});
    }
    run.passes.push_back(std::move(pass));
  }
  summariseRun(run);
  return std::make_shared<const Run>(std::move(run));
}

Since since(const RunPointer& now, const std::vector<RunPointer>& earlier) {
  return sinceEarlier(*now, 0, earlier);
}

}  // namespace

TEST_CASE("a row since an earlier session is slower, faster, the same, or undecided") {
  const RunPointer then = runOf("a", 10'000);
  const Since slower = since(runOf("a", 12'000), {then});
  CHECK(slower.kind == Since::Kind::Compared);
  CHECK(slower.verdict == Verdict::Slower);
  CHECK(slower.ratio > 1.19);
  CHECK(slower.ratio < 1.21);
  CHECK_FALSE(slower.otherKernels);
  CHECK(since(runOf("a", 9'000), {then}).verdict == Verdict::Faster);
  CHECK(since(runOf("a", 10'001), {then}).verdict == Verdict::Same);
  CHECK(since(runOf("a", 10'101), {then}).verdict == Verdict::Undecided);  // 1.0098 to 1.0104 crosses 1 %
}

TEST_CASE("too few passes on a side decide nothing, and that is said") {
  const std::vector<RunPointer> earlier{runOf("a", 10'000)};
  Run brief = *runOf("a", 20'000);
  brief.passes.resize(3);
  summariseRun(brief);
  const std::vector<SuiteRow> rows = suiteRows(brief, false, &earlier);
  CHECK(rows[0].since->verdict == Verdict::Undecided);
  CHECK(sinceTable(rows, "last.opscope").rows[0].back() == "undecided (few passes)");
  CHECK_THAT(sinceSentence(rows, "last.opscope"),
             ContainsSubstring("1 undecided (1 of them for want of passes: measure both with --blocks 4)"));
  CHECK_FALSE(anySlower(rows));
}

TEST_CASE("a row that is new, lost, or not comparable says so and has no ratio") {
  const RunPointer then = runOf("a", 10'000);
  CHECK(since(runOf("b", 10'000), {then}).kind == Since::Kind::New);
  Run failed = *runOf("a", 10'000);
  failed.implementations[0].failure = ErrorInfo{ErrorCode::OutOfMemory, "It does not fit", "", {}};
  summariseRun(failed);
  const Since lost = sinceEarlier(failed, 0, std::vector{then});
  CHECK(lost.kind == Since::Kind::Lost);
  CHECK_THAT(lost.sentence, ContainsSubstring("10.00 us then") && ContainsSubstring("It does not fit"));
  Run zero = *runOf("a", 10'000);
  zero.l2 = "zero";
  const Since refused = sinceEarlier(zero, 0, std::vector{then});
  CHECK(refused.kind == Since::Kind::Refused);
  CHECK_THAT(refused.sentence, ContainsSubstring("L2"));
  CHECK(since(runOf("a", 10'000, "kernel", "Another GPU"), {then}).kind == Since::Kind::New);
}

TEST_CASE("rows with other kernels come first, then slower, lost, faster and the same") {
  const std::vector<RunPointer> earlier{runOf("same", 10'000), runOf("slow", 10'000), runOf("fast", 10'000),
                                        runOf("other", 10'000, "old_kernel"), runOf("lost", 10'000)};
  Run lost = *runOf("lost", 10'000);
  lost.implementations[0].failure = ErrorInfo{ErrorCode::WrongResult, "It is wrong", "", {}};
  summariseRun(lost);
  std::vector<SuiteRow> rows;
  for (const RunPointer& run :
       {runOf("same", 10'000), runOf("fast", 8'000), std::make_shared<const Run>(lost), runOf("new", 10'000),
        runOf("slow", 13'000), runOf("other", 9'000, "new_kernel")})
    for (SuiteRow& row : suiteRows(*run, false, &earlier)) rows.push_back(std::move(row));
  const FurtherTable table = sinceTable(rows, "last.opscope");
  std::vector<std::string> order;
  for (const auto& row : table.rows) order.push_back(row[1]);
  CHECK(order == std::vector<std::string>{"other", "slow", "lost", "fast", "same"});
  CHECK(table.rows[0].back() == "different kernels; faster");
  CHECK(table.rows[1][6] == "1.3000");
  CHECK(table.rows[2][5] == "-");
  REQUIRE(table.remarks.size() == 4);  // all but the same
  CHECK_THAT(table.remarks[0], ContainsSubstring("old_kernel") && ContainsSubstring("new_kernel"));
  const std::string sentence = sinceSentence(rows, "last.opscope");
  CHECK(
      sentence.starts_with("Since last.opscope: 1 with different kernels; 1 slower, 2 faster, 1 the same, 0 "
                           "undecided, 1 without a number now, 1 without a number then."));
  CHECK(anySlower(rows));
  rows.erase(rows.begin() + 2);  // the lost one
  CHECK(anySlower(rows));
  std::erase_if(rows, [](const SuiteRow& row) { return row.workload == "slow"; });
  CHECK_FALSE(anySlower(rows));
  const std::string csv = suiteCsv(rows);
  CHECK_THAT(csv,
             ContainsSubstring(",earlier_busy_median_ns,earlier_ratio,") && ContainsSubstring(",faster,1,"));
  CHECK(suiteCsv({}).find("earlier_") == std::string::npos);
}
