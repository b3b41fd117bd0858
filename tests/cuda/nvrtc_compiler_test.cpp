// SPDX-License-Identifier: Apache-2.0
#include "cuda/nvrtc_compiler.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "base/temporary_folder.h"

using namespace opscope;
using namespace opscope::cuda;
using Catch::Matchers::ContainsSubstring;
using opscope::test::TemporaryFolder;

namespace {

KernelSource sourceOf(const std::string& text, const std::vector<std::string>& kernels) {
  return {.source = text,
          .fileName = "sample.cu",
          .options = {},
          .includeFolders = {},
          .kernels = kernels,
          .architecture = "sm_90"};
}

bool isElf(const CompiledProgram& program) {
  return program.cubin.size() > 4 && std::string(program.cubin.data() + 1, 3) == "ELF";
}

}  // namespace

TEST_CASE("kernels compile to machine code, by C names and template instances") {
  const TemporaryFolder folder;
  const NvrtcCompiler compiler{CubinCache(folder.path())};
  if (!compiler.available()) SKIP(compiler.missing());
  const KernelSource source = sourceOf(
      "extern \"C\" __global__ void plain(float* x) { *x = 1; }\n"
      "template <typename T> __global__ void scaled(T* x) { *x *= T(2); }\n",
      {"scaled<float>", "plain", "scaled<double>", "plain"});
  const CompiledProgram program = compiler.compile(source);
  CHECK(isElf(program));
  REQUIRE(program.loweredNames.size() == 3);
  CHECK(program.loweredNames.at("plain") == "plain");
  CHECK_THAT(program.loweredNames.at("scaled<float>"), ContainsSubstring("scaledIfE"));
  CHECK_THAT(program.loweredNames.at("scaled<double>"), ContainsSubstring("scaledIdE"));

  // The second time it comes from the folder: what is put there is what comes out.
  const auto entry = *std::filesystem::directory_iterator(folder.path());
  const std::string key = entry.path().stem().string();
  CompiledProgram planted = program;
  planted.cubin.push_back('!');
  REQUIRE(CubinCache(folder.path()).store(key, planted));
  CHECK(compiler.compile(source) == planted);
  CHECK(isElf(compiler.compileUncached(source)));
}

TEST_CASE("half precision compiles with the toolkit's headers") {
  const TemporaryFolder folder;
  const NvrtcCompiler compiler{CubinCache(folder.path())};
  if (!compiler.available()) SKIP(compiler.missing());
  if (!compiler.headers()) SKIP("The CUDA headers were not found");
  const CompiledProgram program =
      compiler.compile(sourceOf("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                                "extern \"C\" __global__ void f(__half* x, __nv_bfloat16* y) {"
                                " *x = __float2half(__bfloat162float(*y)); }\n",
                                {"f"}));
  CHECK(isElf(program));
}

TEST_CASE("a compile error carries the compiler's log and its place") {
  const TemporaryFolder folder;
  const NvrtcCompiler compiler{CubinCache(folder.path())};
  if (!compiler.available()) SKIP(compiler.missing());
  try {
    compiler.compile(sourceOf("\n\nextern \"C\" __global__ void f() { nonsense; }\n", {"f"}));
    FAIL("it compiled");
  } catch (const CompileFailed& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("sample.cu") && ContainsSubstring("sm_90") &&
                                         ContainsSubstring("nonsense") && ContainsSubstring("undefined"));
    CHECK(error.info().place == Place{.file = "sample.cu", .line = 3, .column = 0});
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a kernel that the source does not have is a compile error") {
  const TemporaryFolder folder;
  const NvrtcCompiler compiler{CubinCache(folder.path())};
  if (!compiler.available()) SKIP(compiler.missing());
  try {
    compiler.compile(sourceOf("extern \"C\" __global__ void f() {}\n", {"missing_kernel"}));
    FAIL("it compiled");
  } catch (const CompileFailed& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("missing_kernel"));
  }
}

TEST_CASE("options, include folders and architecture reach the compiler") {
  const TemporaryFolder folder;
  folder.write("include/value.cuh", "#define VALUE 3\n");
  const NvrtcCompiler compiler{CubinCache(folder.path() / "cache")};
  if (!compiler.available()) SKIP(compiler.missing());
  KernelSource source = sourceOf(
      "#include \"value.cuh\"\n"
      "static_assert(VALUE == 3 && EXTRA == 4 && __CUDACC_VER_MAJOR__ >= 12);\n"
      "extern \"C\" __global__ void f(int* x) { static_assert(__CUDA_ARCH__ == 800); *x = 0; }\n",
      {"f"});
  source.includeFolders = {(folder.path() / "include").string()};
  source.options = {"-DEXTRA=4"};
  source.architecture = "sm_80";
  CHECK(isElf(compiler.compile(source)));
  source.options = {"-DEXTRA=5"};
  CHECK_THROWS_AS(compiler.compile(source), CompileFailed);
  source.options = {"--no-such-option"};
  CHECK_THROWS_AS(compiler.compile(source), CompileFailed);
}
