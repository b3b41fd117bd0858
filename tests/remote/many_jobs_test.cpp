// SPDX-License-Identifier: Apache-2.0
//
// Short jobs in one engine, over and over: neither side may grow. 10,000 of them with
// OPSCOPE_MANY_JOBS=10000, which takes minutes; the usual number shows a leak of a few kilobytes a job.
#include <malloc.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>

#include "remote/remote_engine.h"
#include "remote/same_run.h"

using namespace opscope;
using namespace opscope::test;

namespace {

// What the process itself holds, in KiB, without the files it maps.
long anonymousKiB(const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::atol(line.c_str() + 8);
  return -1;
}

}  // namespace

TEST_CASE("many short jobs in one engine leave its memory as it was") {
#ifdef OPSCOPE_SANITIZED
  SKIP("a sanitizer keeps what is freed, so memory says nothing");
#endif
  const char* wanted = std::getenv("OPSCOPE_MANY_JOBS");
  const int jobs = wanted != nullptr ? std::atoi(wanted) : 400;
  const auto engine = makeRemoteEngine({OPSCOPE_PROGRAM, "serve"});
  const std::string child = std::to_string(engine->identity().pid);
  Job job = tinyNorm();
  job.implementations = {"one-pass"};
  job.protocol.iterations = 2;
  long childBefore = 0, ownBefore = 0;
  for (int i = 0; i < jobs; ++i) {
    const auto run = runJob(*engine, job);
    REQUIRE(run->implementations.at(0).hasNumber());
    if (i != jobs / 4) continue;  // by then whatever is made once has been made
    malloc_trim(0);
    childBefore = anonymousKiB(child);
    ownBefore = anonymousKiB("self");
  }
  malloc_trim(0);
  const long childAfter = anonymousKiB(child), ownAfter = anonymousKiB("self");
  CAPTURE(jobs, childBefore, childAfter, ownBefore, ownAfter);
  CHECK(std::to_string(engine->identity().pid) == child);  // the same one throughout
  // What an allocator keeps in its arenas is no leak; 5 KiB a job would be.
  const long most = 8 * 1024;
  CHECK(childAfter - childBefore < most);
  CHECK(ownAfter - ownBefore < most);
}
