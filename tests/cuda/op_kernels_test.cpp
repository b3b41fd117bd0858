// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "base/error.h"
#include "cuda/nvrtc_compiler.h"
#include "cuda/temporary_folder.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"

using namespace opscope;

// The built-in kernels compile for GPUs that this machine need not have.
TEST_CASE("every kernel of every built-in op compiles for every dtype") {
  const test::TemporaryFolder folder;
  const cuda::NvrtcCompiler compiler{cuda::CubinCache(folder.path())};
  if (!compiler.available()) SKIP(compiler.missing());
  if (!compiler.headers()) SKIP("The CUDA headers were not found");
  const std::string architecture = GENERATE("sm_80", "sm_90");
  const Catalogue catalogue =
      Catalogue::load({std::filesystem::path(OPSCOPE_SOURCE_DIR) / "resources" / "ops"});
  CHECK(catalogue.problems().empty());
  int compiled = 0;
  for (const OpSpec& op : catalogue.ops())
    for (const ImplementationSpec& implementation : op.implementations) {
      const auto body = implementation.bodies.find("cuda");
      if (body == implementation.bodies.end() || body->second.kind != BodySpec::Kind::Kernels) continue;
      for (const DType dtype : body->second.dtypes.empty() ? op.dtypes : body->second.dtypes) {
        KernelProgram program = kernelProgram(op, body->second, dtype);
        cuda::KernelSource source{.source = program.source,
                                  .fileName = program.fileName,
                                  .options = program.options,
                                  .includeFolders = program.includeFolders,
                                  .kernels = {},
                                  .architecture = architecture};
        for (const StepSpec& step : body->second.steps)
          if (step.kind == "kernel") source.kernels.push_back(step.kernel);
        if (source.kernels.empty()) continue;
        INFO(op.name << "/" << implementation.name << " " << nameOf(dtype) << " " << architecture);
        try {
          const cuda::CompiledProgram code = compiler.compile(source);
          CHECK(code.cubin.size() > 100);
          ++compiled;
        } catch (const Error& error) {
          FAIL_CHECK(error.what());
        }
      }
    }
  CHECK(compiled > 0);
}
