// SPDX-License-Identifier: Apache-2.0
#include "base/stretches.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace opscope {
namespace {

// Of the process's first thread, which nobody pins: std::thread::hardware_concurrency() counts the cores of
// the thread that asks, and that may be a launch thread with one.
cpu_set_t coresOfProcess() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(getpid(), sizeof cores, &cores) != 0) CPU_ZERO(&cores);
  return cores;
}

}  // namespace

void inStretches(std::size_t count, std::size_t least,
                 const std::function<void(std::size_t first, std::size_t last)>& each) {
  constexpr std::size_t kMostThreads = 16;
  const cpu_set_t cores = coresOfProcess();
  const auto most = std::min(static_cast<std::size_t>(std::max(CPU_COUNT(&cores), 1)), kMostThreads);
  const std::size_t parts = std::clamp<std::size_t>(count / std::max<std::size_t>(least, 1), 1, most);
  std::vector<std::exception_ptr> thrown(parts);
  const auto run = [&](std::size_t part) {
    try {
      each(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      thrown[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < parts; ++part)
      others.emplace_back([&run, &cores, part] {
        sched_setaffinity(0, sizeof cores, &cores);  // where the system refuses, it is only slower
        run(part);
      });
    run(0);
  }
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace opscope
