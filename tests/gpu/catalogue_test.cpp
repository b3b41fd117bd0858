// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <random>

#include "base/op_families.h"
#include "gpu/gpu.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"

using namespace opscope;
using namespace opscope::test;

// Every implementation of every built-in op on its tiny workloads, in every dtype, with inputs that nobody
// has seen before. OPSCOPE_RESOURCES says where the ops are when the program has left its build folder.
TEST_CASE("every CUDA implementation of every op is right on the tiny workloads") {
  const auto device = gpu();
  const Catalogue catalogue = Catalogue::load({resourceFolder() / "ops"});
  CHECK(catalogue.problems().empty());
  const std::uint64_t seed = std::random_device{}();
  int verified = 0;
  for (const OpSpec& op : catalogue.ops()) {
    if (isMadeToFail(op.family)) continue;
    for (const WorkloadSpec& workload : op.workloads) {
      if (!workload.label.starts_with("tiny")) continue;
      for (const DType dtype : workload.dtypes) {
        Tensors tensors(*device, makeProblem(op, workload.label, dtype, {}, seed));
        for (const std::string& implementation : op.implementationsFor("cuda")) {
          CAPTURE(op.name, workload.label, implementation, nameOf(dtype), seed);
          if (!whyNotSupported(tensors.problem(), implementation, "cuda").empty()) continue;
          try {
            PreparedCall call = prepare(tensors, implementation);
            const Verification result = verify(tensors, call);
            CAPTURE(result.reason);
            CHECK(result.passed);
            ++verified;
          } catch (const NotSupported& error) {
            // What a library can do depends on its version, and it need not be there; a kernel of ours must
            // run.
            const BodySpec& body = op.implementation(implementation).bodies.at("cuda");
            if (body.kind != BodySpec::Kind::Library) FAIL_CHECK(describe(error.info()));
            WARN(op.name << "/" << implementation << " in " << nameOf(dtype) << ": "
                         << describe(error.info()));
          } catch (const Error& error) {
            FAIL_CHECK(describe(error.info()));
            if (error.info().code == ErrorCode::DeviceLost)
              return;  // nothing on this device can be right any more
          }
        }
      }
    }
  }
  CHECK(verified > 300);
}
