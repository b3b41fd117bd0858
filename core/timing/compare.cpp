// SPDX-License-Identifier: Apache-2.0
#include "timing/compare.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace opscope {
namespace {

class Comparison {
 public:
  Comparison(Device& device, const std::vector<Contestant>& contestants, const Protocol& protocol,
             PassObserver& observer, std::stop_token stop, PassSink& sink)
      : device_(device),
        contestants_(contestants),
        protocol_(protocol),
        observer_(observer),
        stop_(std::move(stop)),
        sink_(sink),
        outcomes_(contestants.size()),
        counts_(contestants.size()) {
    const auto k = static_cast<std::uint32_t>(contestants.size());
    passesPerBlock_ = static_cast<std::uint32_t>(passOrder(k, 0).size());
  }

  std::vector<ContestantOutcome> run() {
    calibrateAll();
    settleAll();
    for (std::uint32_t block = 0; block < protocol_.blocks; ++block) runBlock(block);
    return std::move(outcomes_);
  }

 private:
  void calibrateAll() {
    const auto passes = contestants_.size() > 1 ? 2U : 1U;
    clearCost_ = uncountedClear(device_, protocol_.l2);
    for (std::size_t c = 0; c < contestants_.size(); ++c) {
      if (stop_.stop_requested()) throw Cancelled("The measurement was stopped");
      observer_.onProgress({.phase = Phase::Calibrate,
                            .implementation = contestants_[c].name,
                            .passes = passesPerBlock_ * protocol_.blocks});
      outcomes_[c].iterationCost = calibrate(device_, *contestants_[c].call, protocol_.l2);
      counts_[c] = countsFor(protocol_, outcomes_[c].iterationCost, passes, clearCost_);
    }
  }

  void settleAll() {
    if (settleLimitOf(protocol_) <= 0) return;
    std::vector<SettlingCall> calls;
    for (const Contestant& contestant : contestants_) calls.push_back({contestant.name, contestant.call});
    sink_.onSettled(settle(device_, calls, protocol_, observer_, stop_));
  }

  void runBlock(std::uint32_t block) {
    std::int64_t bufferBytes = protocol_.bufferBytes;
    for (std::uint32_t attempt = 1;; ++attempt) {
      if (tryBlock(block, attempt, bufferBytes)) return;
      sink_.onBlockRestart(block);
      bufferBytes *= kBufferGrowth;
    }
  }

  // False when the block is to be measured again.
  bool tryBlock(std::uint32_t block, std::uint32_t attempt, std::int64_t bufferBytes) {
    const auto order = passOrder(static_cast<std::uint32_t>(contestants_.size()), block);
    Protocol protocol = protocol_;
    protocol.bufferBytes = bufferBytes;
    for (std::uint32_t position = 0; position < order.size(); ++position) {
      const std::uint32_t c = order[position];
      if (outcomes_[c].failure) continue;
      const std::uint32_t number = block * passesPerBlock_ + position;
      Pass pass = runPass(device_, *contestants_[c].call, protocol, counts_[c], observer_, stop_,
                          {.implementation = contestants_[c].name,
                           .pass = number + 1,
                           .passes = passesPerBlock_ * protocol_.blocks,
                           .remainingNs = remainingFrom(block, position)});
      pass.block = block;
      pass.pass = number;
      pass.position = position;
      pass.implementation = c;
      pass.attempts = attempt;
      if (pass.failure) {
        if (pass.failure->code == ErrorCode::RecordsLost && attempt < protocol_.attempts) return false;
        if (pass.failure->code == ErrorCode::RecordsLost)
          pass.failure->message += fmt::format(" (the last of {} attempts, with a record buffer of {} bytes)",
                                               attempt, bufferBytes);
        outcomes_[c].failure = pass.failure;
      }
      sink_.onPass(std::move(pass));
    }
    return true;
  }

  Ns remainingFrom(std::uint32_t block, std::uint32_t position) const {
    const auto k = static_cast<std::uint32_t>(contestants_.size());
    Ns remaining = 0;
    for (std::uint32_t b = block; b < protocol_.blocks; ++b) {
      const auto order = passOrder(k, b);
      for (std::uint32_t p = b == block ? position : 0; p < order.size(); ++p)
        if (!outcomes_[order[p]].failure)
          remaining += (counts_[order[p]].warmups + counts_[order[p]].iterations) *
                       (outcomes_[order[p]].iterationCost + clearCost_);
    }
    return remaining;
  }

  Device& device_;
  const std::vector<Contestant>& contestants_;
  const Protocol& protocol_;
  PassObserver& observer_;
  std::stop_token stop_;
  PassSink& sink_;
  std::vector<ContestantOutcome> outcomes_;
  std::vector<PassCounts> counts_;
  std::uint32_t passesPerBlock_ = 0;
  Ns clearCost_ = 0;  // where no iteration's cost has it
};

}  // namespace

std::vector<ContestantOutcome> compare(Device& device, const std::vector<Contestant>& contestants,
                                       const Protocol& protocol, PassObserver& observer, std::stop_token stop,
                                       PassSink& sink) {
  if (contestants.empty()) throw BadInput("There is nothing to measure", "Name at least one implementation.");
  if (protocol.blocks == 0) throw BadInput("A comparison needs at least one block");
  return Comparison(device, contestants, protocol, observer, std::move(stop), sink).run();
}

void requireOneMethod(const std::vector<const Pass*>& passes) {
  for (const Pass* pass : passes) {
    const Pass& first = *passes.front();
    if (pass->method == first.method && pass->l2 == first.l2) continue;
    throw MixedMethods(fmt::format("Pass {} was measured by {} with L2 {}, pass {} by {} with L2 {}",
                                   first.pass, first.method, first.l2, pass->pass, pass->method, pass->l2),
                       "Measure all passes of an implementation in one way.");
  }
}

}  // namespace opscope
