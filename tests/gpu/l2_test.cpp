// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;

TEST_CASE("a 2 MB copy is fastest warm, slower after a clean clear, slowest after writing zeros") {
  const auto device = gpu();
  constexpr std::int64_t kElements = (2 << 20) / 4;
  Program program(*device, kElements,
                  {step("copy16", {"x", "y", "quads"},
                        {static_cast<std::uint32_t>(kElements / 4 / 256), 1, 1}, {256, 1, 1})});
  const auto busyIn = [&](L2Mode mode) {
    const Pass pass = measure(*device, *program.call, {.l2 = mode});
    requireMeasured(pass);
    CHECK(pass.l2 == nameOf(mode));
    std::printf("GPU: copy of 2 MB, L2 %s: busy %.0f ns\n", pass.l2.c_str(), medianBusy(pass));
    return medianBusy(pass);
  };
  const double warm = busyIn(L2Mode::Warm);
  const double clean = busyIn(L2Mode::Clean);
  const double zero = busyIn(L2Mode::Zero);
  CHECK(warm < clean);
  CHECK(clean < zero);
}

TEST_CASE("the clear says what it does") {
  const auto device = gpu();
  CHECK(device->l2Label(L2Mode::Clean) == "clean");
  CHECK(device->l2Label(L2Mode::Zero) == "zero");
  CHECK(device->l2Label(L2Mode::Warm) == "warm");
  CHECK(device->clearCountsInBudget());
}
