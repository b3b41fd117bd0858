// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <set>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "cuda/nvrtc_compiler.h"
#include "engine/new_op.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"

using namespace opscope;

namespace {

/// What is compiled together: one source with one set of options, and every kernel of it that a spec names.
struct Unit {
  KernelProgram program;
  std::set<std::string> kernels;
  std::string usedBy;
};

std::map<std::string, Unit> unitsOf(const Catalogue& catalogue) {
  std::map<std::string, Unit> units;
  for (const OpSpec& op : catalogue.ops())
    for (const ImplementationSpec& implementation : op.implementations) {
      const auto body = implementation.bodies.find("cuda");
      if (body == implementation.bodies.end() || body->second.kind != BodySpec::Kind::Kernels) continue;
      for (const DType dtype : body->second.dtypes.empty() ? op.dtypes : body->second.dtypes) {
        KernelProgram program = kernelProgram(op, body->second, dtype);
        std::string key = program.fileName;
        for (const std::string& option : program.options) key += " " + option;
        Unit& unit = units[key];
        unit.program = std::move(program);
        unit.usedBy += op.name + "/" + implementation.name + " ";
        for (const StepSpec& step : body->second.steps)
          if (step.kind == "kernel") unit.kernels.insert(step.kernel);
      }
    }
  std::erase_if(units, [](const auto& entry) { return entry.second.kernels.empty(); });
  return units;
}

/// Returns how many were compiled.
std::size_t compileAll(const cuda::NvrtcCompiler& compiler, const Catalogue& catalogue,
                       const std::string& architecture) {
  const auto units = unitsOf(catalogue);
  for (const auto& [name, unit] : units) {
    const cuda::KernelSource source{.source = unit.program.source,
                                    .fileName = unit.program.fileName,
                                    .options = unit.program.options,
                                    .includeFolders = unit.program.includeFolders,
                                    .kernels = {unit.kernels.begin(), unit.kernels.end()},
                                    .architecture = architecture};
    INFO(name << " for " << unit.usedBy << architecture);
    try {
      const cuda::CompiledProgram code = compiler.compileUncached(source);
      CHECK(code.cubin.size() > 100);
    } catch (const Error& error) {
      FAIL_CHECK(error.what());
    }
  }
  return units.size();
}

void compileBuiltIn(const std::string& architecture) {
  const test::TemporaryFolder folder;
  const cuda::NvrtcCompiler compiler{cuda::CubinCache(folder.path())};
  if (!compiler.available()) SKIP(compiler.missing());
  if (!compiler.headers()) SKIP("The CUDA headers were not found");
  const Catalogue catalogue =
      Catalogue::load({std::filesystem::path(OPSCOPE_SOURCE_DIR) / "resources" / "ops"});
  CHECK(catalogue.problems().empty());
  CHECK(compileAll(compiler, catalogue, architecture) > 20);
}

}  // namespace

// The built-in kernels compile for GPUs that this machine need not have. A minute each: tests of their own
// run side by side.
TEST_CASE("every kernel of every built-in op compiles for every dtype on sm_80") {
  compileBuiltIn("sm_80");
}

TEST_CASE("every kernel of every built-in op compiles for every dtype on sm_90") {
  compileBuiltIn("sm_90");
}

TEST_CASE("every kernel of every built-in op compiles for every dtype on sm_100") {
  compileBuiltIn("sm_100");
}

TEST_CASE("the kernels of a new op compile as they are written") {
  const test::TemporaryFolder folder;
  const cuda::NvrtcCompiler compiler{cuda::CubinCache(folder.path() / "cache")};
  if (!compiler.available()) SKIP(compiler.missing());
  if (!compiler.headers()) SKIP("The CUDA headers were not found");
  writeNewOp(folder.path() / "ops", "my-op");
  const Catalogue catalogue = Catalogue::load({folder.path() / "ops"});
  CHECK(catalogue.problems().empty());
  CHECK(compileAll(compiler, catalogue, "sm_90") == 2);  // one source, in two dtypes
}
