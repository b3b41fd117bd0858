// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_provider.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a machine without a driver or GPU has no devices and says what is missing") {
  cuda::CudaProvider provider;
  CHECK(provider.kind() == "cuda");
  const cuda::GpuCount gpus = cuda::countGpus();
  if (gpus.count > 0) SKIP("This machine has a GPU that can be used");
  CHECK(provider.devices().empty());
  CHECK_FALSE(gpus.problem.empty());
  CHECK_FALSE(gpus.remedy.empty());

  const auto checks = provider.diagnose();
  const auto gpu = std::find_if(checks.begin(), checks.end(),
                                [](const Check& check) { return check.subject == "NVIDIA GPU"; });
  REQUIRE(gpu != checks.end());
  CHECK(gpu->state == Check::State::Missing);
  CHECK(gpu->sentence == gpus.problem);
  for (const char* subject : {"CUPTI", "NVRTC", "CUDA headers", "cuBLASLt", "cuDNN", "CUB", "NVML"})
    CHECK(std::any_of(checks.begin(), checks.end(), [&](const Check& check) {
      return check.subject == subject && !check.sentence.empty();
    }));
  for (const Check& check : checks) CHECK((check.state != Check::State::Missing || !check.remedy.empty()));

  for (const char* id : {"cuda", "cuda:0"}) {
    try {
      provider.open(id);
      FAIL("it opened");
    } catch (const DeviceUnavailable& error) {
      CHECK(error.info().message == gpus.problem);
    }
  }
}

TEST_CASE("names that are no GPU's are refused before CUDA is asked") {
  cuda::CudaProvider provider;
  for (const char* id : {"", "host", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda: 1", "cuda:99999999999"})
    CHECK_THROWS_AS(provider.open(id), NoSuchDevice);
}
