// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "timing/pass.h"
#include "timing/settle.h"

namespace opscope {

/// One contestant of a comparison.
struct Contestant {
  std::string name;
  Call* call = nullptr;  ///< not owned
};

/// What became of a contestant: the failure that took it out, if any. Its passes were handed over as they
/// finished.
struct ContestantOutcome {
  std::optional<ErrorInfo> failure;
  Ns iterationCost = 0;  ///< by calibration
};

/// Where a comparison's passes go. Called on the launch thread, between passes.
class PassSink {
 public:
  virtual ~PassSink() = default;
  /// A finished pass, labelled with block, pass, position and implementation.
  virtual void onPass(Pass&& pass) = 0;
  /// Records were lost: every pass of this block is to be forgotten, the block is measured again.
  virtual void onBlockRestart(std::uint32_t block) = 0;
  /// The phase before the first block is over; not called where the protocol has none.
  virtual void onSettled(const Settling& settling) = 0;
};

/// Calibrates all, lets the device settle where the protocol says so, then measures them in the order A B C C
/// B A, equal n in every pass of a contestant. Each finished pass is handed over at once. Lost records
/// restart the block with a record buffer four times as large, as often as the protocol allows. A contestant
/// whose pass fails the method takes no further part; the others go on in the same order. DeviceLost and
/// Cancelled end everything and are thrown.
std::vector<ContestantOutcome> compare(Device& device, const std::vector<Contestant>& contestants,
                                       const Protocol& protocol, PassObserver& observer, std::stop_token stop,
                                       PassSink& sink);

/// Throws MixedMethods when the passes were not all measured by the same method and in the same L2 mode.
void requireOneMethod(const std::vector<const Pass*>& passes);

}  // namespace opscope
