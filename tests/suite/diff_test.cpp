// SPDX-License-Identifier: Apache-2.0
#include "suite/diff.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "session/gated_runs.h"
#include "session/kept.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

using RunPointer = std::shared_ptr<const Run>;

// Four passes near `busy`, so that ranges are narrow.
RunPointer run(Ns busy, const std::string& op = "rms_norm", const std::string& kernel = "norm") {
  Run made = runOfPasses({busy, busy + 10, busy + 20, busy + 30}, kernel);
  made.op = op;
  return std::make_shared<const Run>(std::move(made));
}

SessionDiff diff(const std::vector<RunPointer>& then, const std::vector<RunPointer>& now,
                 std::optional<double> asked = {}) {
  return diffOf("a.opscope", then, "b.opscope", now, asked);
}

}  // namespace

TEST_CASE("a diff says different kernels before slower, and counts both") {
  const SessionDiff found =
      diff({run(10'000), run(10'000, "softmax"), run(10'000, "gemm")},
           {run(20'000, "softmax"), run(30'000, "rms_norm", "other"), run(10'000, "gemm")});
  REQUIRE(found.rows.size() == 3);
  CHECK(found.anyCompared());
  const auto tables = diffTables(found);
  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].rows.size() == 3);
  CHECK(tables[0].rows[0][0] == "rms_norm");
  CHECK(tables[0].rows[0][7] == "different kernels; slower");
  CHECK(tables[0].rows[1][7] == "slower");
  CHECK(tables[0].rows[2][7] == "same");
  CHECK_THAT(diffSentence(found),
             ContainsSubstring("1 with different kernels; 2 slower, 0 faster, 1 the same"));
  CHECK(anySlower(found.rows));
}

TEST_CASE("what has no partner is listed, with the reason") {
  auto other = std::make_shared<Run>(*run(10'000, "gemm"));
  other->l2 = "warm";
  auto elsewhere = std::make_shared<Run>(*run(10'000, "softmax"));
  elsewhere->deviceName = "another";
  auto imported = std::make_shared<Run>(*run(10'000, "imported trace"));
  imported->figures = "imported";
  const SessionDiff found = diff({run(10'000), run(9'000, "gemm"), run(9'000, "softmax")},
                                 {run(10'000, "add"), other, elsewhere, imported});
  REQUIRE(found.rows.size() == 1);  // the same device, another L2: a row that says why
  CHECK(found.rows[0].since->kind == Since::Kind::Refused);
  CHECK_FALSE(found.anyCompared());
  REQUIRE(found.onlyNow.size() == 3);
  CHECK(found.onlyNow[0].row == "add llama bfloat16 by one-pass");
  CHECK(found.onlyNow[0].why == "only there");
  CHECK_THAT(found.onlyNow[1].why, ContainsSubstring("another device"));
  CHECK_THAT(found.onlyNow[2].why, ContainsSubstring("compared with nothing"));
  REQUIRE(found.onlyThen.size() == 1);
  CHECK(found.onlyThen[0].row == "rms_norm llama bfloat16 by one-pass");
  CHECK(diffTables(found).back().rows.size() == 4);
}

TEST_CASE("a run that was cut short stands in for none that was not") {
  auto begun = std::make_shared<Run>(*run(90'000));
  begun->cancelled = true;
  auto alone = std::make_shared<Run>(*run(20'000, "gemm"));
  alone->cancelled = true;
  const SessionDiff found = diff({run(10'000), begun, run(10'000, "gemm")}, {run(10'000), begun, alone});
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0].since->verdict == Verdict::Same);
  CHECK(found.rows[1].since->verdict == Verdict::Slower);
  CHECK_THAT(found.rows[1].since->sentence, ContainsSubstring("this measurement was cut short"));
}

TEST_CASE("the latest of each key counts on both sides, and a lost number is a row") {
  auto failed = std::make_shared<Run>(*run(10'000, "gemm"));
  failed->implementations[0].failure = ErrorInfo{ErrorCode::RecordsLost, "lost", "again", {}};
  failed->implementations[0].busy = {};
  const SessionDiff found =
      diff({run(50'000), run(10'000), run(10'000, "gemm")}, {run(90'000), run(10'000), failed});
  REQUIRE(found.rows.size() == 2);
  CHECK(found.rows[0].since->verdict == Verdict::Same);
  CHECK(found.rows[1].since->kind == Since::Kind::Lost);
  CHECK(anySlower(found.rows));
}

TEST_CASE("a threshold that is asked for is one that a difference must exceed") {
  CHECK(anySlower(diff({run(10'000)}, {run(10'500)}).rows));
  CHECK_FALSE(anySlower(diff({run(10'000)}, {run(10'500)}, 0.1).rows));
}

TEST_CASE("sessions without records are compared like any other") {
  const auto bare = [](const RunPointer& full) {
    return std::make_shared<const Run>(reducedTo(RecordsKept::None, *full));
  };
  const SessionDiff full = diff({run(10'000)}, {run(12'000, "rms_norm", "other")});
  const SessionDiff less = diff({bare(run(10'000))}, {bare(run(12'000, "rms_norm", "other"))});
  CHECK(diffJson(full) == diffJson(less));
  CHECK(less.rows.at(0).since->otherKernels);
  CHECK(less.rows.at(0).since->range);
}

TEST_CASE("the JSON of a diff has the evidence of every verdict") {
  const Json json = Json::parse(diffJson(diff({run(10'000)}, {run(12'000, "rms_norm", "other")})));
  CHECK(json.at("format") == "opscope-diff");
  const Json& row = json.at("rows").at(0);
  CHECK(row.at("verdict") == "slower");
  CHECK(row.at("different_kernels") == true);
  CHECK(row.at("kernels_only_then") == Json{"norm"});
  CHECK(row.at("then_busy_ns") == 10'015.0);
  CHECK(row.at("range").at("low") == 12'000.0 / 10'030.0);
  CHECK(row.at("threshold").at("source") == "method");
}
