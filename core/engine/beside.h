// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "device/device.h"
#include "engine/engine.h"

namespace opscope {

/// What a job asks for beside the passes: controls, and other methods. On the launch thread.
class Beside {
 public:
  Beside(Device& device, const Job& job, Run& run, PassObserver& observer, std::stop_token stop)
      : device_(device), job_(job), run_(run), observer_(observer), stop_(std::move(stop)) {}

  /// For one implementation that has a number. What it does not allow is written into its results; throws
  /// DeviceLost and Cancelled.
  void measure(std::uint32_t implementation, Call& call);

 private:
  void prequeue(std::uint32_t implementation, Call& call);
  void costOfTracing(ImplementationResult& result, Call& call);
  void otherMethods(ImplementationResult& result, Call& call);
  PassCounts countsOf(const ImplementationResult& result) const;

  Device& device_;
  const Job& job_;
  Run& run_;
  PassObserver& observer_;
  std::stop_token stop_;
};

}  // namespace opscope
