// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_approx.hpp>
#include <cstdio>

#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;

TEST_CASE("a kernel that spins for a known time is read with slope 1") {
  const auto device = gpu();
  std::vector<std::pair<double, double>> points;
  for (const std::int64_t ns : {1'000, 2'000, 5'000, 20'000, 100'000}) {
    Program program(*device, 4, {step("spin", {"ns"})}, ns);
    const Pass pass = measure(*device, *program.call, {.iterations = 100});
    requireMeasured(pass);
    points.emplace_back(static_cast<double>(ns), medianBusy(pass));
    std::printf("GPU: spin of %lld ns reads %.0f ns\n", static_cast<long long>(ns), points.back().second);
  }
  double sumX = 0, sumY = 0, sumXX = 0, sumXY = 0;
  for (const auto& [x, y] : points) {
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumXY += x * y;
  }
  const double n = static_cast<double>(points.size());
  const double slope = (n * sumXY - sumX * sumY) / (n * sumXX - sumX * sumX);
  const double offset = (sumY - slope * sumX) / n;
  std::printf("GPU: spin slope %.5f, offset %.0f ns\n", slope, offset);
  CHECK(slope == Catch::Approx(1.0).margin(0.003));
  CHECK(offset > 0);
  CHECK(offset < 2000);
}

TEST_CASE("kernels that run at the same time are counted once") {
  const auto device = gpu();
  std::vector<KernelStep> steps{step("spin", {"ns"}), step("spin", {"ns"})};
  steps[1].stream = 1;
  Program program(*device, 4, steps, 20'000);
  const Pass pass = measure(*device, *program.call);
  requireMeasured(pass);
  for (const Sample& sample : pass.samples) CHECK(sample.kernels == 2);
  std::printf("GPU: two 20 us kernels on two streams, busy %.0f ns\n", medianBusy(pass));
  CHECK(medianBusy(pass) < 30'000);
  CHECK(medianBusy(pass) > 20'000);
}
