// SPDX-License-Identifier: Apache-2.0
#include "trace/occupancy.h"

#include <algorithm>
#include <array>
#include <utility>

namespace opscope {
namespace {

constexpr int kWarp = 32;
constexpr int kKilobyte = 1024;
constexpr int kRegisters = 64 * kKilobyte;
/// Registers are handed out to a warp by so many, from the file of the quarter that it runs on.
constexpr int kRegisterPortion = 256;
constexpr int kQuarters = 4;
constexpr std::int64_t kRegistersPerThread = 255;
constexpr std::int64_t kThreadsPerBlock = 1024;
constexpr std::int64_t kSharedPortion = 128;

constexpr std::array<std::pair<std::string_view, MultiprocessorLimits>, 10> kKnown{{
    {"sm_80", {64, 32, kRegisters, 164 * kKilobyte, kKilobyte}},
    {"sm_86", {48, 16, kRegisters, 100 * kKilobyte, kKilobyte}},
    {"sm_87", {48, 16, kRegisters, 164 * kKilobyte, kKilobyte}},
    {"sm_89", {48, 24, kRegisters, 100 * kKilobyte, kKilobyte}},
    {"sm_90", {64, 32, kRegisters, 228 * kKilobyte, kKilobyte}},
    {"sm_100", {64, 32, kRegisters, 228 * kKilobyte, kKilobyte}},
    {"sm_103", {64, 32, kRegisters, 228 * kKilobyte, kKilobyte}},
    {"sm_110", {48, 24, kRegisters, 228 * kKilobyte, kKilobyte}},
    {"sm_120", {48, 24, kRegisters, 100 * kKilobyte, kKilobyte}},
    {"sm_121", {48, 24, kRegisters, 100 * kKilobyte, kKilobyte}},
}};

std::int64_t roundedUp(std::int64_t value, std::int64_t portion) {
  return (value + portion - 1) / portion * portion;
}

}  // namespace

std::optional<MultiprocessorLimits> limitsOf(std::string_view architecture) {
  const auto found =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const auto& one) { return one.first == architecture; });
  if (found == kKnown.end()) return std::nullopt;
  return found->second;
}

std::optional<Occupancy> occupancyOf(std::string_view architecture, const LaunchShape& shape) {
  const auto limits = limitsOf(architecture);
  // A block has 1024 threads at most; what says more is of no such device, and its product could overflow.
  if (!limits || std::max({shape.blockX, shape.blockY, shape.blockZ}) > kThreadsPerBlock) return std::nullopt;
  const std::int64_t threads = std::int64_t{shape.blockX} * shape.blockY * shape.blockZ;
  if (threads < 1 || threads > kThreadsPerBlock || shape.registersPerThread > kRegistersPerThread)
    return std::nullopt;
  const std::int64_t warps = roundedUp(threads, kWarp) / kWarp;

  Occupancy occupancy;
  occupancy.warpsAtMost = limits->warps;
  std::int64_t blocks = limits->warps / warps;
  const auto allowAtMost = [&](std::int64_t most, OccupancyLimit limit) {
    if (most >= blocks) return;
    blocks = most;
    occupancy.limit = limit;
  };
  allowAtMost(limits->blocks, OccupancyLimit::Blocks);
  if (shape.registersPerThread > 0) {
    const std::int64_t perWarp = roundedUp(std::int64_t{shape.registersPerThread} * kWarp, kRegisterPortion);
    allowAtMost(limits->registers / kQuarters / perWarp * kQuarters / warps, OccupancyLimit::Registers);
  }
  const std::int64_t shared = roundedUp(
      std::int64_t{shape.staticSharedBytes} + shape.dynamicSharedBytes + limits->reservedSharedBytes,
      kSharedPortion);
  allowAtMost(limits->sharedBytes / shared, OccupancyLimit::SharedMemory);
  if (blocks < 1) return std::nullopt;
  occupancy.blocks = static_cast<int>(blocks);
  occupancy.warps = static_cast<int>(blocks * warps);
  return occupancy;
}

}  // namespace opscope
