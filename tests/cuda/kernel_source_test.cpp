// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernel_source.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "base/temporary_folder.h"

using namespace opscope::cuda;
using opscope::test::TemporaryFolder;

TEST_CASE("the key changes with each ingredient") {
  const KernelSource base{.source = "text",
                          .fileName = "a.cu",
                          .options = {"-DA", "-DB"},
                          .includeFolders = {"/no/such/folder"},
                          .kernels = {"f"},
                          .architecture = "sm_90"};
  const std::string key = keyOf(base, "13.0");
  CHECK(key.size() == 32);
  CHECK(keyOf(base, "13.0") == key);
  CHECK(keyOf(base, "13.1") != key);
  const std::vector<std::function<void(KernelSource&)>> changes{
      [](KernelSource& s) { s.source = "text "; },
      [](KernelSource& s) { s.fileName = "b.cu"; },
      [](KernelSource& s) { s.options = {"-DB", "-DA"}; },
      [](KernelSource& s) { s.options = {"-DA-DB"}; },
      [](KernelSource& s) { s.options = {"-DA"}; },
      [](KernelSource& s) { s.includeFolders = {"/no/other/folder"}; },
      [](KernelSource& s) { s.kernels = {"g"}; },
      [](KernelSource& s) { s.architecture = "sm_80"; },
  };
  for (const auto& change : changes) {
    KernelSource changed = base;
    change(changed);
    CHECK(keyOf(changed, "13.0") != key);
  }
}

TEST_CASE("the key changes with an included file, near or far") {
  const TemporaryFolder folder;
  folder.write("one.cuh", "#pragma once\n  #  include \"deep/two.cuh\"\n");
  folder.write("deep/two.cuh", "#include \"three.cuh\"\n#include \"../one.cuh\"\n");
  folder.write("deep/three.cuh", "// three\n");
  const KernelSource source{.source = "#include <one.cuh>\n#include \"absent.cuh\"\n#include \"unclosed\n",
                            .fileName = "a.cu",
                            .options = {},
                            .includeFolders = {folder.path().string()},
                            .kernels = {},
                            .architecture = "sm_90"};
  const auto files = includedFiles(source);
  REQUIRE(files.size() == 3);
  CHECK(files[0].first == folder.path() / "one.cuh");
  CHECK(files[1].first == folder.path() / "deep/two.cuh");
  CHECK(files[2].first == folder.path() / "deep/three.cuh");

  const std::string key = keyOf(source, "13.0");
  folder.write("deep/three.cuh", "// 3\n");
  CHECK(keyOf(source, "13.0") != key);
  folder.write("deep/three.cuh", "// three\n");
  CHECK(keyOf(source, "13.0") == key);
  folder.write("absent.cuh", "");  // a file that appears is found by the compiler too
  CHECK(keyOf(source, "13.0") != key);
}
