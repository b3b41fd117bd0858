// SPDX-License-Identifier: Apache-2.0
// How well the clocks of host and GPU are known.
#include <cstdio>

#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;

TEST_CASE("pings bound the offset of the clocks tighter than launches and waits do") {
  const auto device = gpu();
  constexpr std::int64_t kElements = 1 << 17;
  Program program(*device, kElements, {scaleStep(kElements)});
  Pass pass = measure(*device, *program.call, {.iterations = 50});
  requireMeasured(pass);
  REQUIRE(pass.trace.pings.size() == 16);
  REQUIRE(pass.clock.known);
  const Ns with = pass.clock.uncertainty();
  Trace blind = pass.trace;
  blind.pings.clear();
  std::erase_if(blind.kernels, [ids = ExternalIds(pass.trace.externalIds)](const KernelRecord& kernel) {
    return ids[kernel.correlationId] >= kPingId;
  });
  const ClockBounds without = clockBounds(blind, attribute(blind), pass.samples);
  std::printf(
      "GPU: clock offset in [%lld, %lld] ns by pings (uncertainty %lld), in [%lld, %lld] without (%lld)\n",
      static_cast<long long>(pass.clock.offsetLow), static_cast<long long>(pass.clock.offsetHigh),
      static_cast<long long>(with), static_cast<long long>(without.offsetLow),
      static_cast<long long>(without.offsetHigh), static_cast<long long>(without.uncertainty()));
  CHECK(with < without.uncertainty());
}
