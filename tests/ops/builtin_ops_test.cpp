// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "device/host/host_device.h"
#include "ops/built_in.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "ops/published_rows.h"
#include "ops/reference.h"

using namespace opscope;
using opscope::test::PublishedRow;
using opscope::test::publishedRows;
using opscope::testing::builtIn;

namespace {

Problem problem(const std::string& op, const std::string& workload, DType dtype = DType::BFloat16) {
  return makeProblem(builtIn().op(op), workload, dtype, {}, 1);
}

}  // namespace

TEST_CASE("the built-in ops are read without a problem", "[ops]") {
  for (const ErrorInfo& problem : builtIn().problems()) FAIL_CHECK(describe(problem));
  for (const OpSpec& op : builtIn().ops()) {
    CAPTURE(op.name);
    CHECK_FALSE(op.doc.empty());
    for (const ImplementationSpec& implementation : op.implementations)
      CHECK_FALSE(implementation.doc.empty());
  }
}

TEST_CASE("each host function that a spec names is registered", "[ops]") {
  registerHostFunctions();
  registerHostFunctions();
  for (const OpSpec& op : builtIn().ops())
    for (const ImplementationSpec& implementation : op.implementations)
      if (implementation.bodies.contains("host")) {
        CAPTURE(op.name, implementation.name);
        CHECK(host::Functions::global().find(implementation.bodies.at("host").function) != nullptr);
      }
}

TEST_CASE("each kernel that a spec names stands in its source", "[ops]") {
  for (const OpSpec& op : builtIn().ops())
    for (const ImplementationSpec& implementation : op.implementations) {
      if (!implementation.bodies.contains("cuda")) continue;
      const BodySpec& body = implementation.bodies.at("cuda");
      if (body.kind != BodySpec::Kind::Kernels) continue;
      for (const DType dtype : op.dtypes) {
        const KernelProgram program = kernelProgram(op, body, dtype);
        CHECK(program.steps.empty());
        CHECK(program.options.back().starts_with("-DOPSCOPE_DTYPE_"));
        CHECK(std::filesystem::exists(std::filesystem::path(program.includeFolders.at(0)) / "opscope.cuh"));
        for (const StepSpec& step : body.steps) {
          if (step.kind != "kernel") continue;
          CAPTURE(op.name, step.kernel);
          // A template is named with its arguments; quantize_eager.cu has its operators from another file.
          // That they compile and are found is for the compiler's test to say.
          const std::string name = step.kernel.substr(0, step.kernel.find('<'));
          const bool included = program.source.find("#include \"eager.cu\"") != std::string::npos;
          CHECK((included || program.source.find(name + "(") != std::string::npos));
        }
      }
    }
}

TEST_CASE("flops and bytes by hand", "[ops]") {
  // 4 operations for each of 2048 * 4096 elements; x and y once, the weight once, 2 bytes each.
  CHECK(problem("rms_norm", "llama-8b-prefill").flops == 33'554'432);
  CHECK(problem("rms_norm", "llama-8b-prefill").bytes == 33'562'624);
  CHECK(problem("rms_norm", "llama-405b-decode").flops == 65'536);
  CHECK(problem("rms_norm", "llama-405b-decode").bytes == 98'304);
  // The eager chain claims what the op needs, not what the chain moves.
  CHECK(problem("add", "hidden-state-prefill").flops == 16'777'216);
  CHECK(problem("add", "hidden-state-prefill", DType::Float32).bytes == 100'663'296);
  // 2 * 16 * 256 * 56 * 56 elements and 256 of the other, 2 bytes each.
  CHECK(problem("add", "cnn-feat-broadcast").flops == 25'690'112);
  CHECK(problem("add", "cnn-feat-broadcast").bytes == 51'380'736);
  // One value per row of 4 bytes for each scale, one byte for each element.
  CHECK(problem("quantize_int8", "llama-8b-decode").bytes == 4096 * 3 + 4);
  // A query at place i of 512 sees 3584 + i + 1 keys: 512 * 3584 + 512 * 513 / 2 products of 128, twice, two
  // operations.
  CHECK(problem("gqa_prefill", "llama-70b-prefill-dense-q-lt-kv").flops == 4.0 * 64 * 128 * 1'966'336);
  // 56 x 56 windows of 9 in each of 2048 planes.
  CHECK(problem("max_pool2d", "resnet-stem", DType::Float16).flops == 2048.0 * 56 * 56 * 9);
  CHECK(problem("max_pool2d", "resnet-stem", DType::Float16).bytes == 2.0 * 2048 * (112 * 112 + 56 * 56));
  CHECK(problem("topk", "lm-head-64").bytes == 4 * 102400 * 2 + 4 * 4 * 64);
  CHECK(problem("embedding", "llama-8b-decode").bytes == 2 * 64 * 4096 * 2 + 8 * 64);
  CHECK(problem("transpose", "square-4k").bytes == 2 * 4096 * 4096 * 2);
  CHECK(problem("moe_gate", "deepseek-v3-prefill").bytes == 4096 * 256 * 2 + 8 * 4096 * 8);
  CHECK(problem("gemm", "square-1k-nn").flops == 2'147'483'648);
  CHECK(problem("gemm", "square-1k-nn").bytes == 6'291'456);
  CHECK(problem("gemm", "k-dominant-7168x16384").flops == 962'072'674'304);
  CHECK(problem("gemm", "k-dominant-7168x16384").bytes == 427'819'008);
}

TEST_CASE("every published row of these ops has our flops and bytes", "[ops]") {
  const auto published = publishedRows();
  if (published.empty()) SKIP("the published rows are not here; set OPSCOPE_SHARED_DATA");
  int rows = 0;
  for (const PublishedRow& row : published) {
    CAPTURE(row.op, row.workload, row.dtype, row.implementation);
    const auto dtype = dtypeFromName(row.dtype);
    REQUIRE(dtype.has_value());
    const Problem ours = problem(row.op, row.workload, *dtype);
    CHECK(ours.flops == row.flops);
    CHECK(ours.bytes == row.bytes);
    ++rows;
  }
  CHECK(rows > 300);
}

TEST_CASE("single dimensions can be replaced", "[ops]") {
  const OpSpec& op = builtIn().op("rms_norm");
  const Problem odd = makeProblem(op, "llama-8b-prefill", DType::Float32, {{"M", 3}}, 9);
  CHECK(odd.workload == "custom");
  CHECK(odd.dims.at("M") == 3);
  CHECK(odd.dims.at("N") == 4096);
  CHECK(odd.seed == 9);
  CHECK(makeProblem(op, "tiny", DType::Float32, {{"M", 64}}, 9).workload == "tiny");
  CHECK(makeProblem(op, "", DType::Float32, {{"M", 1}, {"N", 1}}, 9).flops == 4);
}

TEST_CASE("a problem that does not fit is refused", "[ops]") {
  const OpSpec& op = builtIn().op("rms_norm");
  CHECK_THROWS_AS(makeProblem(op, "", DType::Float32, {{"M", 1}}, 1), BadInput);
  CHECK_THROWS_AS(makeProblem(op, "tiny", DType::Float32, {{"M", 0}}, 1), BadInput);
  CHECK_THROWS_AS(makeProblem(op, "tiny", DType::Float32, {{"M", -1}}, 1), BadInput);
  CHECK_THROWS_AS(makeProblem(op, "tiny", DType::Float32, {{"M", INT64_MAX}}, 1), BadInput);
  CHECK_THROWS_AS(makeProblem(op, "tiny", DType::Float32, {{"M", kLargestDim}, {"N", kLargestDim}}, 1),
                  BadInput);
  CHECK_THROWS_AS(makeProblem(op, "tiny", DType::Int32, {}, 1), BadInput);
  CHECK_THROWS_AS(makeProblem(op, "tiny", DType::Float32, {{"K", 1}}, 1), UnknownName);
  CHECK_THROWS_AS(makeProblem(op, "llama-9b", DType::Float32, {}, 1), UnknownName);
}
