// SPDX-License-Identifier: Apache-2.0
#include "device/affinity.h"

namespace opscope {

UnpinnedScope::UnpinnedScope() {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  changed_ = sched_setaffinity(0, sizeof all, &all) == 0;  // the kernel keeps what the process may use
}

UnpinnedScope::~UnpinnedScope() {
  if (changed_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace opscope
