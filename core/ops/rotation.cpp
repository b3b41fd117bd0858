// SPDX-License-Identifier: Apache-2.0
#include "ops/rotation.h"

#include <fmt/format.h>

#include "base/format.h"

namespace opscope {
namespace {

class RotatingCall final : public Call {
 public:
  explicit RotatingCall(std::vector<PreparedCall> calls) : calls_(std::move(calls)) {}
  void issue() override {
    calls_[next_].call().issue();
    next_ = next_ + 1 == calls_.size() ? 0 : next_ + 1;
  }

 private:
  std::vector<PreparedCall> calls_;
  std::size_t next_ = 0;
};

std::int64_t footprintOf(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const TensorSpec& tensor : problem.op->tensors) {
    auto size = static_cast<std::int64_t>(bytesOf(tensor.dtype.value_or(problem.dtype)));
    for (const std::int64_t extent : shapeOf(problem, tensor)) size *= extent;
    bytes += size;
  }
  return bytes;
}

}  // namespace

std::uint32_t rotationCopies(const Device& device, const Problem& problem) {
  const std::int64_t footprint = std::max<std::int64_t>(1, footprintOf(problem));  // tensors may be empty
  const std::int64_t wanted = device.rotationBytes();
  const std::int64_t copies = std::max<std::int64_t>(2, wanted / footprint + 1);
  if (copies > kMostCopies)
    throw NotSupported(
        fmt::format("The tensors of {} take {} together, so {} copies would be needed to exceed {}; at most "
                    "{} are made",
                    problem.op->name, formatBytes(static_cast<double>(footprint)), copies,
                    formatBytes(static_cast<double>(wanted)), kMostCopies),
        "Choose a larger workload, or --l2 clean.");
  return static_cast<std::uint32_t>(copies);
}

Rotation::Rotation(Tensors& first, std::uint32_t copies) : first_(first) {
  try {
    for (std::uint32_t c = 1; c < copies; ++c) others_.push_back(first.copy());
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(fmt::format("No memory for {} copies of the tensors, which --l2 rotate needs: {}",
                                  copies, error.info().message),
                      "Choose a smaller workload, or --l2 clean.");
  }
}

PreparedCall Rotation::prepare(const std::string& implementation) {
  std::vector<PreparedCall> calls;
  for (std::uint32_t c = 0; c < copies(); ++c) calls.push_back(opscope::prepare(at(c), implementation));
  return {implementation, {}, std::make_unique<RotatingCall>(std::move(calls))};
}

Verification Rotation::verify(PreparedCall& call) {
  Verification first;
  for (std::uint32_t c = 0; c < copies(); ++c) {
    // The call takes the copies in turn, so its issue here is the one on this copy.
    Verification found = opscope::verify(at(c), call);
    if (!found.checked) return found;
    if (!found.passed) {
      found.reason = fmt::format("copy {} of {}: {}", c + 1, copies(), found.reason);
      return found;
    }
    if (c == 0) first = std::move(found);
  }
  return first;
}

}  // namespace opscope
