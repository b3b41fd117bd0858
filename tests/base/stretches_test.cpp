// SPDX-License-Identifier: Apache-2.0
#include "base/stretches.h"

#include <sched.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace opscope;

namespace {

int coresOfThisThread() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

}  // namespace

TEST_CASE("stretches are the whole, each part once, and none too short", "[base]") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{9}, std::size_t{10}, std::size_t{1000}}) {
    std::vector<int> visits(count);
    std::mutex mutex;
    std::size_t shortest = count;
    inStretches(count, 10, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) ++visits[i];
      const std::lock_guard lock(mutex);
      shortest = std::min(shortest, last - first);
    });
    CHECK(visits == std::vector<int>(count, 1));
    CHECK(shortest >= std::min<std::size_t>(count, 10));
  }
}

TEST_CASE("of what stretches throw, the first by number is thrown", "[base]") {
  const auto fail = [](std::size_t first, std::size_t) { throw std::out_of_range(std::to_string(first)); };
  try {
    inStretches(1000, 1, fail);
    FAIL("nothing was thrown");
  } catch (const std::out_of_range& error) {
    CHECK(std::string(error.what()) == "0");
  }
}

TEST_CASE("a pinned thread has the work done on the other cores", "[base]") {
  const int cores = coresOfThisThread();
  if (cores < 2) SKIP("this process may use one core only");
  std::vector<int> seen;
  std::thread pinned([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return;
    std::mutex mutex;
    inStretches(1000, 1, [&](std::size_t, std::size_t) {
      const std::lock_guard lock(mutex);
      seen.push_back(coresOfThisThread());
    });
  });
  pinned.join();
  if (seen.empty()) SKIP("this process may not pin its threads");
  CHECK(seen.size() == static_cast<std::size_t>(std::min(cores, 16)));
  CHECK(std::count(seen.begin(), seen.end(), 1) == 1);  // the pinned one itself
  CHECK(std::count(seen.begin(), seen.end(), cores) == static_cast<std::ptrdiff_t>(seen.size()) - 1);
}
