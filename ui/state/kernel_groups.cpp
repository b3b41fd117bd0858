// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/kernel_groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "session/device_record.h"
#include "stats/summary.h"

namespace opscope::ui {
namespace {

using Key = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                       std::uint32_t, std::uint32_t>;

struct Collected {
  KernelGroup group;
  std::vector<Ns> lengths;
};

void addTraffic(const CounterReading& reading, std::vector<KernelGroup>& groups) {
  if (reading.together) return;
  for (KernelGroup& group : groups) {
    const auto named =
        std::count_if(groups.begin(), groups.end(), [&](const auto& one) { return one.name == group.name; });
    if (named != 1) continue;
    std::vector<std::int64_t> dram;
    std::vector<std::int64_t> l2;
    for (const std::vector<MemoryTraffic>& call : reading.calls) {
      bool counted = false;
      MemoryTraffic sum;
      for (std::size_t k = 0; k < std::min(call.size(), reading.kernels.size()); ++k) {
        if (reading.kernels[k] != group.name) continue;
        counted = true;
        sum.dramRead += call[k].dram();
        sum.l2 += call[k].l2;
      }
      if (!counted) continue;
      dram.push_back(sum.dramRead);
      l2.push_back(sum.l2);
    }
    if (dram.empty()) continue;
    group.dramBytes = summarise(dram).median;
    group.l2Bytes = summarise(l2).median;
  }
}

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
  const std::string architecture = valueIn(run.environment, "architecture");
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
    group.occupancy = occupancyOf(architecture, group.shape);
    all += group.totalNs;
    groups.push_back(std::move(group));
  }
  for (KernelGroup& group : groups) group.share = all > 0 ? group.totalNs / all : 0;
  std::stable_sort(groups.begin(), groups.end(),
                   [](const KernelGroup& a, const KernelGroup& b) { return a.totalNs > b.totalNs; });
  if (const auto& counters = run.implementations[implementation].counters) addTraffic(*counters, groups);
  return groups;
}

}  // namespace opscope::ui
