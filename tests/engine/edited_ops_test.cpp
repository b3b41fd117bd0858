// SPDX-License-Identifier: Apache-2.0
//
// Ops of the user's own, edited while an engine has them.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "engine/engine.h"
#include "engine/new_op.h"
#include "engine/running_job.h"

using namespace opscope;
using opscope::test::startAndRun;
using opscope::test::TemporaryFolder;

namespace {

std::string spec(const std::string& function, int rows = 8) {
  return "mine:\n"
         "  signature:\n"
         "    inputs:\n"
         "      x: {shape: [M, N], distribution: \"normal(0, 1)\"}\n"
         "      weight: {shape: [N], distribution: \"uniform(0.5, 1.5)\"}\n"
         "    outputs:\n"
         "      y: {shape: [M, N]}\n"
         "    params:\n"
         "      eps: {default: 1e-6}\n"
         "  dtypes: [float32]\n"
         "  workloads:\n"
         "    - {label: small, M: " +
         std::to_string(rows) +
         ", N: 64}\n"
         "  roofline: {flops: 4 * M * N, bytes: 8 * M * N}\n"
         "  reference: rms_norm\n"
         "  implementations:\n"
         "    direct:\n"
         "      host: {function: " +
         function + "}\n";
}

Job mine() {
  Job job;
  job.device = "host";
  job.op = "mine";
  job.protocol.iterations = 5;
  job.protocol.warmupBudget = kMillisecond;
  return job;
}

ErrorCode codeOfFailure(Engine& engine, const Job& job) {
  try {
    runJob(engine, job);
  } catch (const Error& error) {
    return error.code();
  }
  FAIL("the job did not fail");
  return ErrorCode::Internal;
}

const CatalogueInfo::Op* find(const CatalogueInfo& catalogue, const std::string& name) {
  for (const CatalogueInfo::Op& op : catalogue.ops)
    if (op.name == name) return &op;
  return nullptr;
}

}  // namespace

TEST_CASE("a spec that was written again is read again, by the catalogue and by the next measurement") {
  const TemporaryFolder ops;
  const auto file = ops.write("mine.yaml", spec("rms_norm.one_pass"));
  const auto engine = makeLocalEngine({.opFolders = {ops.path()}});
  const CatalogueInfo before = engine->catalogue();
  const auto* op = find(before, "mine");
  REQUIRE(op != nullptr);
  CHECK(op->place == Place{file.string(), 1, 1});
  CHECK(op->implementations.at(0).place.file == file.string());
  CHECK(op->implementations.at(0).place.line == 16);
  CHECK(op->implementations.at(0).sources.empty());
  CHECK(op->workloads.at(0).dims.at("M") == 8);
  CHECK(runJob(*engine, mine())->dims.at("M") == 8);

  ops.write("mine.yaml", spec("rms_norm.one_pass", 16));
  CHECK(runJob(*engine, mine())->dims.at("M") == 16);
  CHECK(find(engine->catalogue(), "mine")->workloads.at(0).dims.at("M") == 16);

  ops.write("mine.yaml", "mine: [\n");
  const CatalogueInfo broken = engine->catalogue();
  CHECK(find(broken, "mine") == nullptr);
  REQUIRE(broken.problems.size() == 1);
  CHECK(broken.problems[0].place.file == file.string());
  CHECK(broken.problems[0].place.line > 0);
  CHECK(codeOfFailure(*engine, mine()) == ErrorCode::UnknownName);

  std::filesystem::remove(file);
  ops.write("other.yaml", spec("rms_norm.one_pass"));
  CHECK(engine->catalogue().problems.empty());
  CHECK(find(engine->catalogue(), "mine")->place.file == (ops.path() / "other.yaml").string());
}

TEST_CASE("a measurement keeps the spec it began with") {
  const TemporaryFolder ops;
  ops.write("mine.yaml", spec("rms_norm.one_pass"));
  const auto engine = makeLocalEngine({.opFolders = {ops.path()}});
  startAndRun(*engine, mine());
  ops.write("mine.yaml", "nothing: [\n");
  CHECK(find(engine->catalogue(), "mine") == nullptr);
  engine->stop();
  engine->wait();
}

TEST_CASE("a check compiles and verifies, and measures nothing") {
  const TemporaryFolder ops;
  ops.write("mine.yaml", spec("rms_norm.one_pass"));
  const auto engine = makeLocalEngine({.opFolders = {ops.path()}});
  Job job = mine();
  job.checkOnly = true;
  job.methods = true;
  bool prepared = false;
  const auto run = runJob(*engine, job, [&](const EngineEvent& event) {
    prepared = prepared || std::holds_alternative<JobPrepared>(event);
    CHECK_FALSE(std::holds_alternative<PassFinished>(event));
  });
  CHECK(prepared);
  CHECK(run->passes.empty());
  REQUIRE(run->implementations.size() == 1);
  CHECK(run->implementations[0].verification.state == VerificationRecord::State::Passed);
  CHECK_FALSE(run->implementations[0].hasNumber());
  CHECK(run->implementations[0].methods.empty());
  CHECK_FALSE(run->implementations[0].failure);

  ops.write("mine.yaml", spec("trap.twice"));
  const auto wrong = runJob(*engine, job);
  REQUIRE(wrong->implementations[0].failure);
  ops.write("mine.yaml", spec("there.is_no_such"));
  CHECK(codeOfFailure(*engine, job) == ErrorCode::UnknownName);
}

TEST_CASE("a new op says where its sources are, and leaves no mark of its template") {
  const TemporaryFolder ops;
  const auto files = writeNewOp(ops.path(), "my-op");
  REQUIRE(files.size() == 2);
  for (const auto& file : files) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    CHECK(text.find("NEW_OP") == std::string::npos);
    CHECK(text.find('@') == std::string::npos);
    CHECK(text.find("my_op_direct") != std::string::npos);
  }
  const auto engine = makeLocalEngine({.opFolders = {ops.path()}});
  const CatalogueInfo catalogue = engine->catalogue();
  const auto* op = find(catalogue, "my-op");
  REQUIRE(op != nullptr);
  CHECK(op->implementations.at(0).sources.at("cuda") == (ops.path() / "my-op.cu").string());
  CHECK_THROWS_AS(writeNewOp(ops.path(), "my-op"), CannotWrite);
  CHECK_THROWS_AS(writeNewOp(ops.path(), "1st"), BadInput);
}
