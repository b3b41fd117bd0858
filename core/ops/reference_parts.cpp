// SPDX-License-Identifier: Apache-2.0
#include "ops/reference_parts.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace opscope {

void computeInParts(const Reference& compute, const ReferenceInput& input, const std::string& output,
                    std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  constexpr std::size_t kWorthAThread = 128, kMostThreads = 16;
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  const std::size_t parts =
      std::clamp<std::size_t>(indices.size() / kWorthAThread, 1, std::min(cores, kMostThreads));
  std::vector<std::exception_ptr> thrown(parts);
  const auto part = [&](std::size_t at) {
    const std::size_t first = indices.size() * at / parts, last = indices.size() * (at + 1) / parts;
    try {
      compute(input, output, indices.subspan(first, last - first), values.subspan(first, last - first));
    } catch (...) {
      thrown[at] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t at = 1; at < parts; ++at) others.emplace_back(part, at);
    part(0);
  }
  for (const std::exception_ptr& each : thrown)
    if (each) std::rethrow_exception(each);
}

}  // namespace opscope
