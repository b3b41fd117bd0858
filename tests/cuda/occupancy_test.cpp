// SPDX-License-Identifier: Apache-2.0
#include "trace/occupancy.h"

#include <cuda_occupancy.h>

#include <catch2/catch_test_macros.hpp>
#include <climits>
#include <random>
#include <string>

using namespace opscope;

namespace {

cudaOccDeviceProp propertiesOf(int capability, const MultiprocessorLimits& limits) {
  cudaOccDeviceProp properties;
  properties.computeMajor = capability / 10;
  properties.computeMinor = capability % 10;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = limits.warps * 32;
  properties.regsPerBlock = limits.registers;
  properties.regsPerMultiprocessor = limits.registers;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.sharedBytes);
  properties.numSms = 100;
  properties.sharedMemPerBlockOptin =
      static_cast<std::size_t>(limits.sharedBytes - limits.reservedSharedBytes);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.reservedSharedBytes);
  return properties;
}

/// Blocks by the toolkit's own calculator; 0 for a launch that does not fit.
int blocksByToolkit(const cudaOccDeviceProp& properties, const LaunchShape& shape) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = static_cast<int>(shape.registersPerThread);
  attributes.sharedSizeBytes = shape.staticSharedBytes;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = shape.dynamicSharedBytes;
  attributes.numBlockBarriers = 1;
  attributes.virtualResourceCount = 0;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const auto threads = static_cast<int>(shape.blockX * shape.blockY * shape.blockZ);
  REQUIRE(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state, threads,
                                                  shape.dynamicSharedBytes) == CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

}  // namespace

TEST_CASE("occupancy is what the toolkit's own calculator says") {
  std::mt19937 random(7);
  const auto upTo = [&](std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(0, most)(random);
  };
  for (const int capability : {80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const std::string architecture = "sm_" + std::to_string(capability);
    const auto limits = limitsOf(architecture);
    REQUIRE(limits);
    const cudaOccDeviceProp properties = propertiesOf(capability, *limits);
    int fits = 0, refused = 0;
    for (int i = 0; i < 20'000; ++i) {
      LaunchShape shape;
      shape.blockX = 1 + upTo(1023);
      shape.blockY = shape.blockZ = 1;
      shape.registersPerThread = 1 + upTo(254);
      shape.staticSharedBytes = upTo(3) == 0 ? upTo(48 * 1024) : 0;
      shape.dynamicSharedBytes = upTo(1) == 0 ? upTo(static_cast<std::uint32_t>(limits->sharedBytes)) : 0;
      const auto occupancy = occupancyOf(architecture, shape);
      const int blocks = occupancy ? occupancy->blocks : 0;
      const int wanted = blocksByToolkit(properties, shape);
      if (blocks != wanted) {
        FAIL(architecture << ": " << shape.blockX << " threads, " << shape.registersPerThread
                          << " registers, " << shape.staticSharedBytes << " + " << shape.dynamicSharedBytes
                          << " bytes: " << blocks << " blocks, and by the toolkit " << wanted);
      }
      ++(wanted > 0 ? fits : refused);
    }
    // Both kinds were there to be told apart.
    CHECK(fits > 1'000);
    CHECK(refused > 1'000);
  }
}
