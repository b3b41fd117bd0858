// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "gpu/gpu.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"

using namespace opscope;
using namespace opscope::test;

// What efficiencies are a share of: tensors of several L2 come from memory and go back to it, so that no rate
// can exceed what its clock and bus carry, and one far below it is no ceiling.
TEST_CASE("copy and triad of large tensors reach the memory's rate, and never more") {
  const auto device = gpu();
  const DeviceInfo& info = device->info();
  const std::int64_t n = std::max<std::int64_t>(16 * 1024 * 1024, 8 * info.l2Bytes / 4);
  const Catalogue catalogue = Catalogue::load({resourceFolder() / "ops"});
  for (const char* name : {"copy", "triad"}) {
    const Problem problem =
        makeProblem(catalogue.op(name), "", DType::Float32, {{"n", n}}, std::random_device{}());
    Tensors tensors(*device, problem);
    PreparedCall call = prepare(tensors, "vectorised");
    CAPTURE(name, n);
    CHECK(verify(tensors, call).passed);
    const Pass pass = measure(*device, call.call());
    requireMeasured(pass);
    const double rate = problem.bytes / (medianBusy(pass) * 1e-9);
    CAPTURE(rate, info.memoryBytesPerSecond);
    REQUIRE(info.memoryBytesPerSecond > 0);
    CHECK(rate < info.memoryBytesPerSecond);
    CHECK(rate > 0.7 * info.memoryBytesPerSecond);
  }
}
