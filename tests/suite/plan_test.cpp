// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "suite/pattern.h"
#include "suite/plan.h"
#include "suite/small_catalogue.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<std::string> namesOf(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedJob& planned : plan.jobs)
    names.push_back(planned.job.op + "/" + planned.job.workload + "/" + planned.job.dtype);
  return names;
}

Plan planFor(const std::string& kind, const PlanRequest& request) {
  const CatalogueInfo catalogue = smallCatalogue();
  return planSuite(catalogue, kind, entriesOf(catalogue, {}), request);
}

}  // namespace

TEST_CASE("a pattern is a part of the path, a family, or a glob over the whole of one of them") {
  const RowName row{"rms_norm", "norms", "llama-8b", "bfloat16"};
  CHECK(matches("norm", row));
  CHECK(matches("rms_norm/llama", row));
  CHECK(matches("norms", row));
  CHECK_FALSE(matches("norms/", row));
  CHECK_FALSE(matches("soft", row));
  CHECK(matches("rms*", row));
  CHECK(matches("*/llama-?b/*16", row));
  CHECK(matches("n[ao]rms", row));
  CHECK_FALSE(matches("llama*", row));  // neither an op, nor a family, nor a whole path
  CHECK(isTiny("tiny-odd"));
  CHECK_FALSE(isTiny("not-tiny"));
}

TEST_CASE("a suite is every op, workload and dtype but the tiny ones and what is made to fail") {
  const Plan plan = planFor("cuda", {});
  CHECK(namesOf(plan) ==
        std::vector<std::string>{"norm/prefill/bfloat16", "norm/prefill/float32", "gemm/square/float16"});
  CHECK(plan.jobs[0].family == "norms");
  CHECK(plan.jobs[0].dims == std::map<std::string, std::int64_t>{{"M", 2048}, {"N", 4096}});
  CHECK(plan.jobs[0].implementations == std::vector<std::string>{"one-pass", "eager"});
  CHECK(plan.jobs[0].job.implementations.empty());  // the engine knows which of them suit
  REQUIRE(plan.leftOut.size() == 1);
  CHECK_THAT(plan.leftOut[0], ContainsSubstring("1 of tiny workloads"));
}

TEST_CASE("the host device takes the tiny workloads, and says what it leaves out") {
  const Plan plan = planFor("host", {});
  CHECK(namesOf(plan) == std::vector<std::string>{"norm/tiny/bfloat16"});
  REQUIRE(plan.leftOut.size() == 2);
  CHECK_THAT(plan.leftOut[0], ContainsSubstring("2 of large workloads"));
  CHECK_THAT(plan.leftOut[1], ContainsSubstring("without an implementation for host: gemm"));
  CHECK(namesOf(planFor("host", {.filters = {}, .workloads = WorkloadChoice::All, .shard = {}})).size() == 3);
}

TEST_CASE("a filter that names tiny workloads has them; one that leaves nothing says why") {
  CHECK(namesOf(planFor("cuda", {.filters = {"norm/tiny"}, .workloads = {}, .shard = {}})) ==
        std::vector<std::string>{"norm/tiny/bfloat16"});
  CHECK(namesOf(planFor("cuda", {.filters = {"gemm", "float32"}, .workloads = {}, .shard = {}})) ==
        std::vector<std::string>{"norm/prefill/float32", "gemm/square/float16"});
  try {
    planFor("host", {.filters = {"prefill"}, .workloads = {}, .shard = {}});
    FAIL("nothing was left, and nothing was said");
  } catch (const BadInput& error) {
    CHECK_THAT(error.what(), ContainsSubstring("prefill") && ContainsSubstring("--workloads all"));
  }
  CHECK_THROWS_AS(planFor("cuda", {.filters = {"traps"}, .workloads = {}, .shard = {}}), BadInput);
}

TEST_CASE("every op, workload and dtype is in exactly one of n shards") {
  PlanRequest request{.filters = {}, .workloads = WorkloadChoice::All, .shard = {}};
  const std::vector<std::string> all = namesOf(planFor("cuda", request));
  REQUIRE(all.size() == 4);
  for (const std::uint32_t count : {1u, 2u, 3u, 7u}) {
    std::multiset<std::string> together;
    for (std::uint32_t index = 1; index <= count; ++index) {
      request.shard = {index, count};
      for (const std::string& name : namesOf(planFor("cuda", request))) together.insert(name);
    }
    CHECK(together == std::multiset<std::string>(all.begin(), all.end()));
  }
  request.shard = {7, 7};
  CHECK(planFor("cuda", request).jobs.empty());  // more shards than rows: an empty one is no failure
}

TEST_CASE("as many shards as dtypes share the dtypes out") {
  CatalogueInfo catalogue = smallCatalogue();
  catalogue.ops.resize(1);
  CatalogueInfo::Op& op = catalogue.ops[0];
  op.workloads = {{"a", {}, {}}, {"b", {}, {}}};  // each in both dtypes of the op
  const auto shard = [&](std::uint32_t index) {
    return namesOf(planSuite(catalogue, "cuda", entriesOf(catalogue, {}),
                             {.filters = {}, .workloads = {}, .shard = {index, 2}}));
  };
  CHECK(shard(1) == std::vector<std::string>{"norm/a/bfloat16", "norm/b/float32"});
  CHECK(shard(2) == std::vector<std::string>{"norm/a/float32", "norm/b/bfloat16"});
}

TEST_CASE("jobs of one op, workload and dtype stay in one shard") {
  const CatalogueInfo catalogue = smallCatalogue();
  Job job;
  job.op = "norm";
  Job zero = job;
  zero.protocol.l2 = L2Mode::Zero;
  const std::vector<SuiteEntry> entries{{job, {"prefill"}, {"float32"}}, {zero, {"prefill"}, {"float32"}}};
  CHECK(
      planSuite(catalogue, "cuda", entries, {.filters = {}, .workloads = {}, .shard = {1, 2}}).jobs.size() ==
      2);
  CHECK(
      planSuite(catalogue, "cuda", entries, {.filters = {}, .workloads = {}, .shard = {2, 2}}).jobs.empty());
}

TEST_CASE("a shard is I/N") {
  const auto shard = shardFromText("2/8");
  REQUIRE(shard);
  CHECK(shard->index == 2);
  CHECK(shard->count == 8);
  for (const char* bad : {"", "2", "2/", "/8", "0/8", "9/8", "2/8x", "-1/8", "2/0", "2 /8", "99999999999/1"})
    CHECK_FALSE(shardFromText(bad));
}
