// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "suite/job_list.h"
#include "suite/small_catalogue.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<SuiteEntry> parse(const std::string& text, const Job& base = {}) {
  return parseJobList(text, "jobs.yaml", base, smallCatalogue());
}

ErrorInfo errorOf(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.info();
  }
  FAIL("accepted: " << text);
  return {};
}

}  // namespace

TEST_CASE("a list of jobs stands on top of the command line, each with its own") {
  Job base;
  base.device = "host";
  base.protocol.blocks = 3;
  const auto entries = parse(R"(
jobs:
  - op: norm
  - op: norm
    workloads: [prefill, tiny]
    dtype: bf16
    implementations: [eager, one-pass]
    baseline: eager
    l2: zero
    iterations: 50
    blocks: 6
    warmup-ms: 1.5
    settle-ms: 0
    seed: 7
    control: [prequeued, tracing]
    counters: true
  - op: norm
    dims: {M: 5, N: 6}
    measure-ms: 20
)",
                             base);
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].job.op == "norm");
  CHECK(entries[0].job.device == "host");
  CHECK(entries[0].job.protocol.blocks == 3);
  CHECK(entries[0].workloads.empty());
  CHECK(entries[0].dtypes.empty());
  const SuiteEntry& full = entries[1];
  CHECK(full.workloads == std::vector<std::string>{"prefill", "tiny"});
  CHECK(full.dtypes == std::vector<std::string>{"bfloat16"});
  CHECK(full.job.implementations == std::vector<std::string>{"eager", "one-pass"});
  CHECK(full.job.baseline == "eager");
  CHECK(full.job.protocol.l2 == L2Mode::Zero);
  CHECK(full.job.protocol.iterations == 50u);
  CHECK(full.job.protocol.blocks == 6);
  CHECK(full.job.protocol.warmupBudget == 1'500'000);
  CHECK(full.job.protocol.settleLimit == Ns{0});
  CHECK(full.job.seed == 7);
  CHECK(full.job.controls.prequeued);
  CHECK(full.job.controls.tracing);
  CHECK(full.job.counters);
  CHECK(entries[2].workloads == std::vector<std::string>{""});  // its own shape, no workload's
  CHECK(entries[2].job.dims == std::map<std::string, std::int64_t>{{"M", 5}, {"N", 6}});
  CHECK(entries[2].job.protocol.measureBudget == 20'000'000);
}

TEST_CASE("what a list of jobs gets wrong is said with its place") {
  const ErrorInfo op = errorOf("jobs:\n  - op: nor\n");
  CHECK(op.code == ErrorCode::UnknownName);
  CHECK(op.place == Place{"jobs.yaml", 2, 9});
  CHECK_THAT(op.remedy, ContainsSubstring("Did you mean norm?"));
  CHECK(errorOf("jobs:\n  - {op: norm, workload: prefil}\n").code == ErrorCode::UnknownName);
  CHECK(errorOf("jobs:\n  - {op: norm, implementations: [eagre]}\n").code == ErrorCode::UnknownName);
  CHECK(errorOf("jobs:\n  - {op: norm, dims: {K: 3}}\n").code == ErrorCode::UnknownName);
  for (const char* bad :
       {"", "jobs:\n", "jobs: []\n", "jobs: 3\n", "- op: norm\n", "jobs:\n  - {workload: tiny}\n",
        "jobs:\n  - {op: norm, workload: tiny, workloads: [tiny]}\n",
        "jobs:\n  - {op: norm, dtype: float16}\n", "jobs:\n  - {op: norm, dtypes: [float32, float32]}\n",
        "jobs:\n  - {op: norm, l2: cold}\n", "jobs:\n  - {op: norm, iterations: 0}\n",
        "jobs:\n  - {op: norm, warmup-ms: -1}\n", "jobs:\n  - {op: norm, speed: 3}\n",
        "jobs:\n  - {op: norm, control: none}\n", "jobs:\n  - {op: norm, workloads: []}\n",
        "jobs:\n  - {op: [norm]}\n"}) {
    CAPTURE(bad);
    CHECK(errorOf(bad).code == ErrorCode::BadInput);
  }
  CHECK_THROWS_AS(readJobList("/no/such/list.yaml", {}, smallCatalogue()), CannotRead);
}
