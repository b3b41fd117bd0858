// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "cuda/cub_call.h"

using namespace opscope;
using namespace opscope::cuda;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("CUB's module says its version and file, or that it is not there") {
  try {
    CHECK_THAT(describeCub(), ContainsSubstring("libopscope_cub.so"));
  } catch (const NotSupported& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("libopscope_cub.so"));
    CHECK_THAT(error.info().remedy, ContainsSubstring("nvcc"));
  }
}

TEST_CASE("CUB's algorithms are known by name") {
  for (const char* name : {"cub.sum", "cub.max", "cub.argmax", "cub.cumsum", "cub.sort", "cub.topk"})
    CHECK(isCubCall(name));
  for (const char* name : {"", "cub", "cub.", "cub.mean", "cudnn.sum"}) CHECK_FALSE(isCubCall(name));
}
