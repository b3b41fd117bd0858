// SPDX-License-Identifier: Apache-2.0
#include "trace/occupancy.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

namespace {

LaunchShape shapeOf(std::uint32_t threads, std::uint32_t registers, std::uint32_t sharedBytes) {
  return {.gridX = 1,
          .gridY = 1,
          .gridZ = 1,
          .blockX = threads,
          .blockY = 1,
          .blockZ = 1,
          .registersPerThread = registers,
          .dynamicSharedBytes = sharedBytes};
}

}  // namespace

TEST_CASE("what runs out first decides how many warps fit") {
  // 8 warps a block; 64 on sm_90.
  auto occupancy = occupancyOf("sm_90", shapeOf(256, 32, 0));
  REQUIRE(occupancy);
  CHECK(occupancy->blocks == 8);
  CHECK(occupancy->warps == 64);
  CHECK(occupancy->warpsAtMost == 64);
  CHECK(occupancy->share() == 1);
  CHECK(occupancy->limit == OccupancyLimit::Warps);

  // 65 registers are handed out as 72: 2304 for a warp, 7 of them in a quarter's 16384.
  occupancy = occupancyOf("sm_90", shapeOf(128, 65, 0));
  REQUIRE(occupancy);
  CHECK(occupancy->warps == 28);
  CHECK(occupancy->limit == OccupancyLimit::Registers);

  // One warp a block: 32 blocks is the limit of blocks.
  occupancy = occupancyOf("sm_90", shapeOf(32, 16, 0));
  REQUIRE(occupancy);
  CHECK(occupancy->warps == 32);
  CHECK(occupancy->limit == OccupancyLimit::Blocks);

  // 100 KB and the driver's own: two blocks in 228 KB.
  occupancy = occupancyOf("sm_90", shapeOf(384, 32, 100 * 1024));
  REQUIRE(occupancy);
  CHECK(occupancy->blocks == 2);
  CHECK(occupancy->share() == 24.0 / 64);
  CHECK(occupancy->limit == OccupancyLimit::SharedMemory);
}

TEST_CASE("an incomplete last warp takes the place of a whole one") {
  const auto occupancy = occupancyOf("sm_86", shapeOf(33, 16, 0));
  REQUIRE(occupancy);
  CHECK(occupancy->blocks == 16);
  CHECK(occupancy->warps == 32);
  CHECK(occupancy->warpsAtMost == 48);
}

TEST_CASE("an architecture that is not known has no occupancy, nor a launch that it could not run") {
  CHECK_FALSE(limitsOf("sm_75"));
  CHECK_FALSE(occupancyOf("", shapeOf(256, 32, 0)));
  CHECK_FALSE(occupancyOf("sm_9", shapeOf(256, 32, 0)));
  CHECK_FALSE(occupancyOf("sm_90", LaunchShape{}));
  CHECK_FALSE(occupancyOf("sm_90", shapeOf(1025, 32, 0)));
  CHECK_FALSE(occupancyOf("sm_90", shapeOf(256, 256, 0)));
  CHECK_FALSE(occupancyOf("sm_90", shapeOf(1024, 128, 0)));
  CHECK_FALSE(occupancyOf("sm_90", shapeOf(256, 32, 228 * 1024)));
  LaunchShape absurd = shapeOf(0xffffffff, 0xffffffff, 0xffffffff);
  absurd.blockY = absurd.blockZ = absurd.staticSharedBytes = 0xffffffff;
  CHECK_FALSE(occupancyOf("sm_90", absurd));
}
