// SPDX-License-Identifier: Apache-2.0
#include "trace/measure.h"

#include <algorithm>

#include "trace/intervals.h"

namespace opscope {

std::vector<Sample> measure(const Trace& trace, const Attribution& attribution) {
  std::vector<Sample> samples(attribution.iterations());
  std::vector<Interval> copies;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Sample& sample = samples[i];
    const auto kernels = attribution.kernelsOf(i);
    sample.kernels = static_cast<std::uint32_t>(kernels.size());
    if (!kernels.empty()) {
      // The kernels stand in order of start, so the union is one sweep.
      const Ns first = trace.kernels[kernels.front()].start;
      Ns reached = first;
      for (const std::uint32_t k : kernels) {
        const KernelRecord& kernel = trace.kernels[k];
        if (kernel.end > reached) {
          sample.busy += kernel.end - std::max(kernel.start, reached);
          reached = kernel.end;
        }
      }
      sample.latency = reached - first;
    }
    const auto memops = attribution.memopsOf(i);
    sample.memops = static_cast<std::uint32_t>(memops.size());
    if (!memops.empty()) {
      copies.clear();
      for (const std::uint32_t m : memops) copies.push_back({trace.memops[m].start, trace.memops[m].end});
      for (const Interval& copy : unionOf(copies)) sample.memopTime += copy.length();
    }
  }
  return samples;
}

}  // namespace opscope
