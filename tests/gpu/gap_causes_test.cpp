// SPDX-License-Identifier: Apache-2.0
// Calls whose gaps have a known cause: each is labelled so.
#include "gpu/gap_steps.h"

using namespace opscope;
using namespace opscope::test;

namespace {

Pass passOf(Device& device, Program& program, const char* what) {
  const Pass pass = measure(device, *program.call, {.iterations = 40});
  requireMeasured(pass);
  REQUIRE(pass.gaps.size() >= 20);
  printGaps(what, pass);
  return pass;
}

}  // namespace

TEST_CASE("a host that sleeps between two launches is late") {
  const auto device = gpu();
  Program program(*device, 1024, {spinStep(), sleeping(spinStep(), 100 * kMicrosecond)}, 2'000);
  const Pass pass = passOf(*device, program, "100 us of host sleep between two 2 us kernels");
  CHECK(mostlyOf(pass) == GapCause::HostLate);
  CHECK(medianGap(pass) > 90'000);
}

TEST_CASE("a kernel that depends on a long one is queued") {
  const auto device = gpu();
  Program program(*device, 1024, {spinStep(), spinStep()}, 200'000);
  const Pass pass = passOf(*device, program, "a kernel behind one of 200 us");
  CHECK(mostlyOf(pass) == GapCause::Queued);
  for (const Gap& gap : pass.gaps) CHECK(gap.host == 0);
}

TEST_CASE("a call that waits for the device between two kernels makes the host late") {
  const auto device = gpu();
  KernelStep first = spinStep();
  first.synchronise = true;
  Program program(*device, 1024, {first, spinStep()}, 5'000);
  CHECK(mostlyOf(passOf(*device, program, "a wait between two kernels")) == GapCause::HostLate);
}

TEST_CASE("the gaps inside a graph are its own") {
  const auto device = gpu();
  Program program(*device, 1024, {spinStep(), spinStep(), spinStep()}, 5'000, true);
  const Pass pass = passOf(*device, program, "between three kernels of one graph");
  CHECK(mostlyOf(pass) == GapCause::InGraph);
  CHECK(medianGap(pass) < 2'000);
}

TEST_CASE("a copy between two kernels is what the gap is") {
  const auto device = gpu();
  constexpr std::int64_t kElements = 1 << 24;
  Program program(*device, kElements, {spinStep(), copyStep(), spinStep()}, 100'000);
  const Pass pass = passOf(*device, program, "a copy of 64 MB between two kernels");
  CHECK(mostlyOf(pass) == GapCause::Copy);
}
