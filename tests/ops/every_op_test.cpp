// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <random>
#include <set>

#include "base/op_families.h"
#include "device/host/host_device.h"
#include "ops/built_in.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "ops/reference.h"

using namespace opscope;

// What holds for every built-in op: a new one needs no test of its own for this, only workloads called
// tiny-...

namespace {

std::vector<const OpSpec*> realOps() {
  std::vector<const OpSpec*> ops;
  for (const OpSpec& op : testing::builtIn().ops())
    if (!isMadeToFail(op.family)) ops.push_back(&op);
  return ops;
}

std::vector<const WorkloadSpec*> tinyWorkloads(const OpSpec& op) {
  std::vector<const WorkloadSpec*> tiny;
  for (const WorkloadSpec& workload : op.workloads)
    if (workload.label.starts_with("tiny")) tiny.push_back(&workload);
  return tiny;
}

}  // namespace

TEST_CASE("the catalogue has the ops that people measure", "[ops]") {
  std::set<std::string> families;
  for (const OpSpec* op : realOps()) families.insert(op->family);
  CHECK(realOps().size() >= 28);
  for (const char* family :
       {"elementwise", "reduction", "norm", "scan", "gemm", "quantization", "data-movement", "attention",
        "position", "moe", "selection", "convolution", "pooling", "random", "fft"})
    CHECK(families.contains(family));
}

TEST_CASE("every op has a reference, a host implementation and two for CUDA", "[ops]") {
  for (const OpSpec* op : realOps()) {
    CAPTURE(op->name);
    CHECK_FALSE(op->reference.empty());
    CHECK(op->implementationsFor("cuda").size() >= 2);
    CHECK_FALSE(op->implementationsFor("host").empty());
    CHECK(tinyWorkloads(*op).size() >= 2);
    CHECK_FALSE(op->workloads.front().label.starts_with("tiny"));
  }
}

TEST_CASE("every host implementation is right on the tiny workloads, in every dtype", "[ops]") {
  registerHostFunctions();
  const std::uint64_t seed = std::random_device{}();
  for (const OpSpec* op : realOps())
    for (const WorkloadSpec* workload : tinyWorkloads(*op))
      for (const DType dtype : workload->dtypes) {
        const auto device = host::openHostDevice();
        Tensors tensors(*device, makeProblem(*op, workload->label, dtype, {}, seed));
        for (const std::string& implementation : op->implementationsFor("host")) {
          if (!whyNotSupported(tensors.problem(), implementation, "host").empty()) continue;
          PreparedCall call = prepare(tensors, implementation);
          const Verification result = verify(tensors, call);
          CAPTURE(op->name, workload->label, implementation, nameOf(dtype), seed, result.reason);
          CHECK(result.checked);
          CHECK(result.passed);
        }
      }
}

TEST_CASE("a size of 0 is refused by every op", "[ops]") {
  for (const OpSpec* op : realOps())
    for (const std::string& dim : op->dims) {
      // A size is what a shape names; switches, strides and the like may be 0 if the shapes can.
      const bool isSize = std::any_of(op->tensors.begin(), op->tensors.end(), [&](const TensorSpec& tensor) {
        return std::any_of(tensor.shape.begin(), tensor.shape.end(),
                           [&](const Expression& size) { return size.text == dim; });
      });
      if (!isSize) continue;
      CAPTURE(op->name, dim);
      CHECK_THROWS_AS(
          makeProblem(*op, op->workloads.front().label, op->workloads.front().dtypes.front(), {{dim, 0}}, 1),
          BadInput);
    }
}

TEST_CASE("every workload of every op has work and bytes, and an implementation for a GPU", "[ops]") {
  for (const OpSpec* op : realOps())
    for (const WorkloadSpec& workload : op->workloads)
      for (const DType dtype : workload.dtypes) {
        const Problem problem = makeProblem(*op, workload.label, dtype, {}, 1);
        CAPTURE(op->name, workload.label, nameOf(dtype));
        CHECK(problem.bytes > 0);
        const auto there = op->implementationsFor("cuda");
        CHECK(std::any_of(there.begin(), there.end(), [&](const std::string& implementation) {
          return whyNotSupported(problem, implementation, "cuda").empty();
        }));
      }
}
