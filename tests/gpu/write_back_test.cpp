// SPDX-License-Identifier: Apache-2.0
// How much of a published number is the write-back of what a clear by zeros left dirty: tables of busy by
// records and of DRAM writes by counters, printed in the form of the measurements page.
#include <algorithm>
#include <cstdio>

#include "device/provider.h"
#include "gpu/traffic.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"

using namespace opscope;
using namespace opscope::test;

namespace {

std::string sizeText(std::int64_t bytes) {
  return bytes < kMB ? std::to_string(bytes >> 10) + " KB" : std::to_string(bytes >> 20) + " MB";
}

}  // namespace

TEST_CASE("busy by what was done to L2 before: a clean clear costs what a cold cache costs, zeros more") {
  const auto device = gpu();
  const auto clear = [&](L2Mode mode) { return [&device, mode] { device->clearCaches(mode); }; };
  const auto both = [&] {
    device->clearCaches(L2Mode::Zero);
    device->clearCaches(L2Mode::Clean);
  };
  // CUPTI may convert stamps to a finer step than the one in which the GPU's timer counts.
  constexpr Ns kTimerStep = 32;
  const double tick = static_cast<double>(std::max(device->info().timestampTick, kTimerStep));
  std::printf("GPU: busy in us, medians of 60 by records\n");
  std::printf("GPU: | timed kernel | warm | zero-fill 2xL2 | clean (read 2xL2) | zero-fill, then read |\n");
  std::printf("GPU: |---|---:|---:|---:|---:|\n");
  const std::pair<const char*, std::int64_t> kernels[]{{"copy16", kMB / 4},  {"copy16", 2 * kMB},
                                                       {"copy16", 16 * kMB}, {"read16", 16 * kMB},
                                                       {"read16", 64 * kMB}, {"read16", 256 * kMB}};
  for (const auto& [kernel, bytes] : kernels) {
    Mover mover(*device, kernel, bytes);
    const double warm = busyAfter(*device, mover.call(), [] {});
    const double zero = busyAfter(*device, mover.call(), clear(L2Mode::Zero));
    const double clean = busyAfter(*device, mover.call(), clear(L2Mode::Clean));
    const double mixed = busyAfter(*device, mover.call(), both);
    std::printf("GPU: | %s %s | %.2f | %.2f | %.2f | %.2f |\n",
                kernel == std::string("copy16") ? "copy" : "read", sizeText(bytes).c_str(), warm / 1e3,
                zero / 1e3, clean / 1e3, mixed / 1e3);
    CHECK(clean < zero);
    if (bytes == 2 * kMB) {
      CHECK(warm < clean);
      CHECK(std::abs(clean - mixed) <= 2 * tick);
    }
  }
}

TEST_CASE("DRAM writes during a kernel by what was done to L2 before") {
  const auto device = gpu();
  std::printf("GPU: DRAM bytes moved during the kernel in MB, medians of %u by counters\n", kCalls);
  std::printf(
      "GPU: | timed kernel | written after zero | written after clean | written warm | read after zero | "
      "read after "
      "clean | read warm |\n");
  std::printf("GPU: |---|---:|---:|---:|---:|---:|---:|\n");
  const std::pair<const char*, std::int64_t> kernels[]{
      {"read16", 2 * kMB}, {"read16", 64 * kMB}, {"copy16", 2 * kMB}, {"copy16", 16 * kMB}};
  for (const auto& [kernel, bytes] : kernels) {
    Mover mover(*device, kernel, bytes);
    std::vector<double> written, read;
    for (const L2Mode mode : {L2Mode::Zero, L2Mode::Clean, L2Mode::Warm}) {
      try {
        const CounterReading reading = device->readCounters(mover.call(), mode, kCalls);
        written.push_back(megabytes(writtenPerCall(reading)));
        read.push_back(megabytes(readPerCall(reading)));
      } catch (const DeviceUnavailable& error) {
        SKIP(error.what());
      } catch (const LibraryMissing& error) {
        SKIP(error.what());
      }
    }
    std::printf("GPU: | %s %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n",
                kernel == std::string("copy16") ? "copy" : "read", sizeText(bytes).c_str(), written[0],
                written[1], written[2], read[0], read[1], read[2]);
    CHECK(written[0] > written[1]);
    CHECK(written[1] < 1);
    // As cold after the one as after the other.
    CHECK(std::abs(read[1] - read[0]) < 0.02 * read[0]);
  }
}

TEST_CASE("how much of the ops' busy time is the write-back of a clear by zeros") {
  const auto device = gpu();
  const Catalogue catalogue = Catalogue::load({resourceFolder() / "ops"});
  struct Case {
    const char* op;
    const char* workload;
    const char* implementation;
  };
  std::printf(
      "GPU: bfloat16; busy by records (medians of 100), DRAM writes of one call by counters (medians of "
      "%u)\n",
      kCalls);
  std::printf(
      "GPU: | op | workload | implementation | busy clean us | busy zero us | zero / clean | written clean "
      "MB | written "
      "zero MB | read clean MB | read zero MB | claimed MB |\n");
  std::printf("GPU: |---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Case& each :
       {Case{"add", "hidden-state-prefill", "vectorised"}, Case{"rms_norm", "llama-8b-prefill", "one-pass"},
        Case{"rms_norm", "llama-70b-prefill", "one-pass"}, Case{"rms_norm", "llama-8b-prefill", "eager"},
        Case{"gemm", "square-1k-nn", "cublaslt"}, Case{"gemm", "ds-v3-decode-gate-up", "cublaslt"},
        Case{"layer_norm", "llama-70b-prefill", "one-pass"}, Case{"softmax", "attn-weights-4k", "one-pass"},
        Case{"rope_neox", "neox-2d-b2-s2k-h32-d128", "vectorised"},
        Case{"cumsum", "hidden-state-scan", "one-block"}, Case{"relu", "elementwise-16M", "vectorised"}}) {
    const Problem problem = makeProblem(catalogue.op(each.op), each.workload, DType::BFloat16, {}, 1);
    Tensors tensors(*device, problem);
    PreparedCall prepared = prepare(tensors, each.implementation);
    std::vector<double> busy, written, read;
    for (const L2Mode mode : {L2Mode::Clean, L2Mode::Zero}) {
      const Pass pass = measure(*device, prepared.call(), {.l2 = mode, .iterations = 100});
      requireMeasured(pass);
      busy.push_back(medianBusy(pass));
      try {
        const CounterReading reading = device->readCounters(prepared.call(), mode, kCalls);
        written.push_back(megabytes(writtenPerCall(reading)));
        read.push_back(megabytes(readPerCall(reading)));
      } catch (const DeviceUnavailable& error) {
        SKIP(error.what());
      } catch (const LibraryMissing& error) {
        SKIP(error.what());
      }
    }
    std::printf("GPU: | %s | %s | %s | %.2f | %.2f | %.3f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", each.op,
                each.workload, each.implementation, busy[0] / 1e3, busy[1] / 1e3, busy[1] / busy[0],
                written[0], written[1], read[0], read[1], megabytes(problem.bytes));
    CHECK(busy[1] > 0.99 * busy[0]);
    CHECK(written[1] > written[0]);
  }
}
