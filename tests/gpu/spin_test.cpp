// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch_approx.hpp>
#include <cstdio>
#include <span>

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

TEST_CASE("a kernel that overlaps with the one before it is counted once") {
  const auto device = gpu();
  std::vector<KernelStep> steps{step("overlapping", {"ns"}), step("overlapping", {"ns"})};
  const auto busyOf = [&](bool overlap) {
    steps[1].overlap = overlap;
    Program program(*device, 4, steps, 20'000);
    const Pass pass = measure(*device, *program.call);
    requireMeasured(pass);
    for (const Sample& sample : pass.samples) CHECK(sample.kernels == 2);
    std::printf("GPU: two 20 us kernels of one stream, overlap %d, busy %.0f ns\n", overlap,
                medianBusy(pass));
    return medianBusy(pass);
  };
  try {
    CHECK(busyOf(true) < 30'000);
  } catch (const NotSupported& error) {
    SKIP(error.what());
  }
  CHECK(busyOf(false) > 40'000);
  steps[0].overlap = true;
  CHECK_THROWS_AS(Program(*device, 4, steps), BadInput);
}

TEST_CASE("blocks run in clusters of the size asked for") {
  const auto device = gpu();
  std::vector<KernelStep> steps{step("rank_in_cluster", {"y"}, {8, 1, 1}, {32, 1, 1})};
  steps[0].cluster = {4, 1, 1};
  try {
    Program program(*device, 8, steps);
    program.call->issue();
    device->drain();
    std::array<float, 8> ranks{};
    device->copyToHost(std::as_writable_bytes(std::span(ranks)), *program.y);
    CHECK(ranks == std::array<float, 8>{400, 401, 402, 403, 400, 401, 402, 403});
  } catch (const NotSupported& error) {
    SKIP(error.what());
  }
  steps[0].grid = {6, 1, 1};
  CHECK_THROWS_AS(Program(*device, 8, steps), BadInput);
}
