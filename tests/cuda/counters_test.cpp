// SPDX-License-Identifier: Apache-2.0
// What of the counters can be tested without a GPU: the chip's tables are in the library, and errors are
// values.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "cuda/counter_decoder.h"

using namespace opscope;
using namespace opscope::cuda;
using Catch::Matchers::ContainsSubstring;

namespace {

CuptiApi cupti() {
  std::string why;
  auto api = CuptiApi::load(why);
  if (!api) SKIP(why);
  return std::move(*api);
}

RangeProfilerApi profiler(const CuptiApi& cupti) {
  try {
    return RangeProfilerApi::load(cupti);
  } catch (const LibraryMissing& error) {
    SKIP(error.what());
  }
  return {};  // not reached: SKIP ends the test
}

}  // namespace

TEST_CASE("the four counters of an H100 or H200 are counted in one pass") {
  const CuptiApi api = cupti();
  const RangeProfilerApi counters = profiler(api);
  const CounterDecoder decoder(api, counters, "GH100");
  CHECK_FALSE(decoder.config().empty());
  CHECK(CounterDecoder::metrics().size() == 4);
}

TEST_CASE("a chip that nobody knows is not supported, in one sentence") {
  const CuptiApi api = cupti();
  const RangeProfilerApi counters = profiler(api);
  try {
    const CounterDecoder decoder(api, counters, "XX999");
    FAIL("there is such a chip");
  } catch (const NotSupported& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("cannot count the memory traffic of this GPU"));
    CHECK_FALSE(error.info().remedy.empty());
  }
}

TEST_CASE("each refusal of the counters is its own error, with what to do") {
  const CuptiApi api = cupti();
  const auto refused = [&](CUptiResult result) -> ErrorInfo {
    try {
      throwCountingRefused(api, result, "counting");
    } catch (const Error& error) {
      CHECK_FALSE(error.info().remedy.empty());
      return error.info();
    }
  };
  const ErrorInfo permission = refused(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  CHECK(permission.code == ErrorCode::DeviceUnavailable);
  CHECK_THAT(permission.message, ContainsSubstring("ERR_NVGPUCTRPERM"));
  CHECK_THAT(permission.remedy, ContainsSubstring("NVreg_RestrictProfilingToAdminUsers=0"));
  CHECK(refused(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED).code == ErrorCode::NotSupported);
  CHECK(refused(CUPTI_ERROR_HARDWARE_BUSY).code == ErrorCode::DeviceUnavailable);
  CHECK_THAT(refused(CUPTI_ERROR_HARDWARE_BUSY).message, ContainsSubstring("Another profiler"));
  CHECK(refused(CUPTI_ERROR_OUT_OF_MEMORY).code == ErrorCode::OutOfMemory);
  CHECK(refused(CUPTI_ERROR_UNKNOWN).code == ErrorCode::DeviceUnavailable);
  CHECK_THAT(refused(CUPTI_ERROR_UNKNOWN).message, ContainsSubstring("CUPTI refused while counting"));
}
