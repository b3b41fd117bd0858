// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/kernel_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "stats/summary.h"

namespace opscope::ui {
namespace {

using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                       std::uint32_t, std::uint32_t>;

struct Collected {
  KernelGroup group;
  std::vector<Ns> lengths;
};

}  // namespace

std::vector<KernelGroup> kernelGroups(const Run& run, std::uint32_t implementation) {
  std::map<Key, Collected> collected;
  std::uint64_t iterations = 0;
  if (implementation >= run.implementations.size() || !run.implementations[implementation].hasNumber())
    return {};
  for (std::uint32_t p = 0; p < run.passes.size(); ++p) {
    const Pass& pass = *run.passes[p];
    if (pass.implementation != implementation) continue;
    const Attribution attribution = groupByIteration(pass.trace);
    iterations += attribution.iterations();
    // Names and shapes are interned per pass: look each pair up once, not once per kernel.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Collected*> known;
    for (std::uint32_t i = 0; i < attribution.iterations(); ++i) {
      for (const std::uint32_t k : attribution.kernelsOf(i)) {
        const KernelRecord& kernel = pass.trace.kernels[k];
        Collected*& to = known[{kernel.nameId, kernel.shapeId}];
        if (!to) {
          const LaunchShape shape =
              kernel.shapeId < pass.trace.shapes.size() ? pass.trace.shapes[kernel.shapeId] : LaunchShape{};
          const std::string& name = pass.trace.names.text(kernel.nameId);
          to = &collected[{name, shape.gridX, shape.gridY, shape.gridZ, shape.blockX, shape.blockY,
                           shape.blockZ, shape.dynamicSharedBytes}];
          if (to->lengths.empty()) {
            to->group.name = name;
            to->group.shape = shape;
            to->group.pass = p;
            to->group.iteration = i;
            to->group.kernel = k;
          }
        }
        to->lengths.push_back(kernel.end - kernel.start);
      }
    }
  }
  double all = 0;
  std::vector<KernelGroup> groups;
  for (auto& [key, entry] : collected) {
    KernelGroup& group = entry.group;
    double total = 0;
    for (const Ns length : entry.lengths) total += static_cast<double>(length);
    group.count = entry.lengths.size();
    group.perIteration = static_cast<double>(group.count) / static_cast<double>(iterations);
    group.totalNs = total / static_cast<double>(iterations);
    group.medianNs = summarise(entry.lengths).median;
    all += group.totalNs;
    groups.push_back(std::move(group));
  }
  for (KernelGroup& group : groups) group.share = all > 0 ? group.totalNs / all : 0;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const KernelGroup& a, const KernelGroup& b) { return a.totalNs > b.totalNs; });
  return groups;
}

}  // namespace opscope::ui
