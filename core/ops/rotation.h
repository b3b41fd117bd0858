// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/prepared.h"

namespace opscope {

/// The most copies that a rotation makes: each is prepared and verified like a call of its own.
inline constexpr std::uint32_t kMostCopies = 1024;

/// How many copies of a problem's inputs and outputs exceed the caches of the device, at least 2. Throws
/// NotSupported when the tensors are so small that it would take more than kMostCopies.
std::uint32_t rotationCopies(const Device& device, const Problem& problem);

/// Copies of a problem's tensors on the device, for calls that take another one each time and so find nothing
/// of theirs in the caches. The first copy is the tensors it was made from, which must outlive it.
class Rotation {
 public:
  /// Throws OutOfMemory, saying how many copies were asked for.
  Rotation(Tensors& first, std::uint32_t copies);
  std::uint32_t copies() const { return static_cast<std::uint32_t>(others_.size()) + 1; }

  /// The implementation, prepared on every copy (scratch included); its call takes them in turn.
  PreparedCall prepare(const std::string& implementation);
  /// Verifies the call on every copy: the first result that failed, else the first copy's. The next issue
  /// takes the first copy again.
  Verification verify(PreparedCall& call);

 private:
  Tensors& at(std::uint32_t copy) { return copy == 0 ? first_ : *others_[copy - 1]; }

  Tensors& first_;
  std::vector<std::unique_ptr<Tensors>> others_;
};

}  // namespace opscope
