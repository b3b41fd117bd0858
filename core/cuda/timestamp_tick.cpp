// SPDX-License-Identifier: Apache-2.0
#include "cuda/timestamp_tick.h"

#include <numeric>

namespace opscope::cuda {

Ns timestampTickOf(const Trace& trace) {
  constexpr std::size_t kEnough = 8;  // the divisor of fewer may be a multiple of the tick by chance
  if (trace.kernels.size() < kEnough) return 1;
  Ns all = 0;
  Ns durations = 0;
  const Ns origin = trace.kernels.front().start;
  for (const KernelRecord& kernel : trace.kernels) {
    all = std::gcd(std::gcd(all, kernel.start - origin), kernel.end - origin);
    durations = std::gcd(durations, kernel.end - kernel.start);
  }
  if (all > 1) return all;
  return durations > 1 ? durations : 1;
}

}  // namespace opscope::cuda
