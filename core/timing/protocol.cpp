// SPDX-License-Identifier: Apache-2.0
#include "timing/protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "stats/block_comparison.h"

namespace opscope {
namespace {

std::uint32_t split(std::uint32_t whole, std::uint32_t parts) {
  return std::max<std::uint32_t>(1, (whole + parts - 1) / parts);
}

std::uint32_t countFor(Ns budget, Ns cost, std::uint32_t low, std::uint32_t high) {
  const Ns count = budget / std::max<Ns>(1, cost);
  return static_cast<std::uint32_t>(std::clamp<Ns>(count, low, high));
}

}  // namespace

Ns settleLimitOf(const Protocol& protocol) {
  constexpr Ns kLimit = 3 * kSecond;  // a GPU's clock is up within one; heat takes minutes, and cancels
  if (protocol.settleLimit) return *protocol.settleLimit;
  return protocol.blocks >= kBlocksForInterval ? kLimit : 0;
}

PassCounts countsFor(const Protocol& protocol, Ns iterationCost, std::uint32_t passes, Ns clearCost) {
  const std::uint32_t low = split(protocol.minIterations, passes);
  const std::uint32_t high = std::max(low, split(protocol.maxIterations, passes));
  const auto countOf = [&](Ns budget) {
    const std::uint32_t byCalls = countFor(budget / passes, iterationCost, low, high);
    if (clearCost <= 0) return byCalls;
    return std::min(byCalls, countFor(kWithClears * budget / passes, iterationCost + clearCost, low, high));
  };
  PassCounts counts;
  counts.warmups = countOf(protocol.warmupBudget);
  counts.iterations =
      protocol.iterations ? split(*protocol.iterations, passes) : countOf(protocol.measureBudget);
  return counts;
}

std::string l2LabelOf(const Device& device, const Protocol& protocol) {
  std::string label = device.l2Label(protocol.l2);
  if (protocol.l2 != L2Mode::Rotate) return label;
  return fmt::format("rotate ({} copies{})", protocol.copies,
                     label.find("partial") == std::string::npos ? "" : ", partial");
}

std::vector<std::uint32_t> passOrder(std::uint32_t implementations, std::uint32_t block) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < implementations; ++i) order.push_back((i + block) % implementations);
  if (implementations > 1)
    for (std::uint32_t i = implementations; i-- > 0;) order.push_back(order[i]);
  return order;
}

}  // namespace opscope
