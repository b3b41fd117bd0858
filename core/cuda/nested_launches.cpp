// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested_launches.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <vector>

namespace opscope::cuda {

void foldNestedLaunches(Trace& trace) {
  auto& launches = trace.launches;
  std::vector<std::uint32_t> order(launches.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const LaunchRecord& x = launches[a];
    const LaunchRecord& y = launches[b];
    if (x.threadId != y.threadId) return x.threadId < y.threadId;
    if (x.start != y.start) return x.start < y.start;
    if (x.end != y.end) return x.end > y.end;
    return a < b;
  });

  const auto encloses = [&](const LaunchRecord& outer, const LaunchRecord& inner) {
    return outer.threadId == inner.threadId && inner.start >= outer.start && inner.end <= outer.end;
  };
  bool nested = false;
  for (std::size_t i = 1; i < order.size() && !nested; ++i)
    nested = encloses(launches[order[i - 1]], launches[order[i]]);
  if (!nested) return;

  std::unordered_set<std::uint32_t> onDevice;
  onDevice.reserve(trace.kernels.size() + trace.memops.size());
  for (const auto& kernel : trace.kernels) onDevice.insert(kernel.correlationId);
  for (const auto& memop : trace.memops) onDevice.insert(memop.correlationId);

  std::vector<char> dropped(launches.size(), 0);
  for (std::size_t i = 0; i < order.size();) {
    const std::uint32_t outer = order[i];
    std::size_t end = i + 1;
    bool innerJoins = false;
    while (end < order.size() && encloses(launches[outer], launches[order[end]])) {
      const std::uint32_t id = launches[order[end]].correlationId;
      innerJoins = innerJoins || (id != launches[outer].correlationId && onDevice.contains(id));
      ++end;
    }
    const bool outerJoins = onDevice.contains(launches[outer].correlationId);
    if (end > i + 1 && !outerJoins && innerJoins) dropped[outer] = 1;
    for (std::size_t k = i + 1; k < end; ++k) {
      const std::uint32_t id = launches[order[k]].correlationId;
      const bool own = id != launches[outer].correlationId && onDevice.contains(id);
      if (!own) dropped[order[k]] = 1;
    }
    i = end;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (dropped[i] == 0) launches[kept++] = launches[i];
  launches.resize(kept);
}

}  // namespace opscope::cuda
