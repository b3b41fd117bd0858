// SPDX-License-Identifier: Apache-2.0
// What a comparison says of contestants that are the same, and what the size of the record buffers does to
// latency.
#include <cmath>
#include <cstdio>
#include <numeric>

#include "gpu/gpu.h"
#include "timing/compare.h"
#include "timing/launch_thread.h"

using namespace opscope;
using namespace opscope::test;

namespace {

struct Kept final : PassSink {
  void onPass(Pass&& pass) override { passes.push_back(std::move(pass)); }
  void onBlockRestart(std::uint32_t block) override {
    std::erase_if(passes, [block](const Pass& pass) { return pass.block == block; });
  }
  void onSettled(const Settling&) override {}
  /// The median over all passes of a contestant, pooled.
  double pooled(std::uint32_t contestant) const {
    std::vector<double> values;
    for (const Pass& pass : passes)
      if (pass.implementation == contestant)
        for (const Sample& sample : pass.samples) values.push_back(static_cast<double>(sample.busy));
    return medianOf(std::move(values));
  }
  std::vector<Pass> passes;
};

KernelStep copyStep(std::int64_t elements) {
  return step("copy16", {"x", "y", "quads"}, {static_cast<std::uint32_t>((elements / 4 + 255) / 256), 1, 1},
              {256, 1, 1});
}

}  // namespace

TEST_CASE("three contestants that are the same read the same within 0.3 %") {
  const auto device = gpu();
  keepOtherThreadsOff(pinThisThread(device->info().nearbyCpus));
  struct Size {
    const char* what;
    std::int64_t elements;
    bool three;
  };
  for (const Size& size : {Size{"copy of 64 MB", 16 << 20, false}, Size{"copy of 256 MB", 64 << 20, false},
                           Size{"three kernels over 64 MB", 16 << 20, true}}) {
    std::vector<KernelStep> steps{size.three ? scaleStep(size.elements) : copyStep(size.elements)};
    if (size.three) steps.resize(3, steps.front());
    Program program(*device, size.elements, std::move(steps));
    const std::vector<Contestant> same{
        {"A", program.call.get()}, {"B", program.call.get()}, {"C", program.call.get()}};
    Protocol protocol;
    protocol.blocks = 6;
    Silent silent;
    Kept kept;
    const auto outcomes = compare(*device, same, protocol, silent, {}, kept);
    for (const ContestantOutcome& outcome : outcomes) REQUIRE_FALSE(outcome.failure.has_value());
    REQUIRE(kept.passes.size() == 36);
    const double a = kept.pooled(0), b = kept.pooled(1), c = kept.pooled(2);
    std::printf("GPU: A/A/A, %s: busy %.0f, %.0f, %.0f ns; B/A %.5f, C/A %.5f\n", size.what, a, b, c, b / a,
                c / a);
    CHECK(a >= 20'000);
    CHECK(std::abs(b / a - 1) <= 0.003);
    CHECK(std::abs(c / a - 1) <= 0.003);
  }
}

TEST_CASE("record buffers stretch the latency of a call, never its busy") {
  const auto device = gpu();
  keepOtherThreadsOff(pinThisThread(device->info().nearbyCpus));
  constexpr std::int64_t kElements = 1 << 21;
  Program program(*device, kElements, {scaleStep(kElements), scaleStep(kElements), scaleStep(kElements)});
  double reference = 0;
  for (const std::int64_t bytes : {32 << 10, 256 << 10, 1 << 20, 8 << 20, 32 << 20}) {
    const Pass pass = measure(*device, *program.call, {.bufferBytes = bytes, .iterations = 200});
    requireMeasured(pass);
    const double busy = medianBusy(pass);
    if (reference == 0) reference = busy;
    std::printf("GPU: three kernels of 16 MB, buffers of %lld KB: latency %.2f us, busy %.2f us\n",
                static_cast<long long>(bytes >> 10), medianLatency(pass) / 1e3, busy / 1e3);
    CHECK(std::abs(busy / reference - 1) <= 0.01);
  }
}
