// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "device/host/host_device.h"
#include "ops/built_in.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "ops/reference.h"

using namespace opscope;
using opscope::testing::builtIn;

namespace {

using Dims = std::map<std::string, std::int64_t>;

Verification verified(const OpSpec& op, const std::string& workload, const std::string& implementation,
                      DType dtype, const Dims& dims) {
  registerHostFunctions();
  const auto device = host::openHostDevice();
  Tensors tensors(*device, makeProblem(op, workload, dtype, dims, 7));
  PreparedCall call = prepare(tensors, implementation);
  return verify(tensors, call);
}

void everyImplementation(const std::string& name, const std::vector<Dims>& shapes) {
  const OpSpec& op = builtIn().op(name);
  const std::vector<std::string> implementations = op.implementationsFor("host");
  REQUIRE(implementations.size() >= 2);
  for (const DType dtype : op.dtypes)
    for (const std::string& implementation : implementations)
      for (const Dims& dims : shapes) {
        const Verification result = verified(op, "tiny", implementation, dtype, dims);
        CAPTURE(name, implementation, nameOf(dtype), dims, result.reason);
        CHECK(result.passed);
        CHECK(result.compared > 0);
      }
}

}  // namespace

TEST_CASE("rms_norm on the host, one row, odd and larger sizes", "[ops]") {
  everyImplementation("rms_norm", {{{"M", 1}, {"N", 1}},
                                   {{"M", 1}, {"N", 4096}},
                                   {{"M", 7}, {"N", 129}},
                                   {{"M", 3}, {"N", 8}},
                                   {{"M", 130}, {"N", 515}}});
}

TEST_CASE("add on the host, with and without broadcast", "[ops]") {
  everyImplementation("add", {{{"outer", 1}, {"channels", 1}, {"inner", 1}, {"broadcast", 0}},
                              {{"outer", 3}, {"channels", 7}, {"inner", 13}, {"broadcast", 0}},
                              {{"outer", 3}, {"channels", 7}, {"inner", 13}, {"broadcast", 1}},
                              {{"outer", 5}, {"channels", 9}, {"inner", 1}, {"broadcast", 1}},
                              {{"outer", 2}, {"channels", 64}, {"inner", 784}, {"broadcast", 1}}});
}

TEST_CASE("gemm on the host, odd sizes and every transposition", "[ops]") {
  std::vector<Dims> shapes;
  for (const std::int64_t transA : {0, 1})
    for (const std::int64_t transB : {0, 1})
      for (const Dims& size : {Dims{{"m", 1}, {"n", 1}, {"k", 1}}, Dims{{"m", 5}, {"n", 17}, {"k", 33}},
                               Dims{{"m", 64}, {"n", 48}, {"k", 100}}}) {
        Dims dims = size;
        dims["trans_a"] = transA;
        dims["trans_b"] = transB;
        shapes.push_back(dims);
      }
  everyImplementation("gemm", shapes);
}

TEST_CASE("the traps compute what they say, but for the one that does not", "[ops]") {
  for (const char* name : {"trap_copy_between", "trap_copy_only", "trap_dependency", "trap_host_sleep",
                           "trap_off_thread", "trap_overlap", "trap_synchronise", "trap_two_streams"}) {
    const OpSpec& op = builtIn().op(name);
    const Verification result =
        verified(op, "small", op.implementationsFor("host").at(0), DType::Float32, {});
    CAPTURE(name, result.reason);
    CHECK(result.checked);
    CHECK(result.passed);
  }
  const OpSpec& op = builtIn().op("trap_wrong_result");
  CHECK(verified(op, "small", "right", DType::Float32, {}).passed);
  const Verification wrong = verified(op, "small", "wrong", DType::Float32, {});
  CHECK_FALSE(wrong.passed);
  CHECK(wrong.where == "y[16384]");
  CHECK_FALSE(verified(builtIn().op("trap_no_kernel"), "small", "nothing", DType::Float32, {}).checked);
}

TEST_CASE("the eager chain launches eight kernels, the fused one one", "[ops]") {
  registerHostFunctions();
  const auto kernelsOf = [](const std::string& implementation) {
    const auto device = host::openHostDevice();
    Tensors tensors(*device, makeProblem(builtIn().op("rms_norm"), "tiny", DType::BFloat16, {}, 7));
    PreparedCall call = prepare(tensors, implementation);
    device->collector().open({});
    call.call().issue();
    device->drain();
    return device->collector().close().kernels.size();
  };
  CHECK(kernelsOf("one-pass") == 1);
  CHECK(kernelsOf("eager") == 8);
  const OpSpec& op = builtIn().op("rms_norm");
  CHECK(op.implementation("eager").bodies.at("cuda").steps.size() == 8);
}
