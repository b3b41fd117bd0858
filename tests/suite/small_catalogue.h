// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"

namespace opscope::test {

/// Three ops: "norm" (one-pass, eager; a large and a tiny workload, two dtypes, the tiny one in one), "gemm"
/// for CUDA alone, and "trap", which is made to fail.
inline CatalogueInfo smallCatalogue() {
  using Info = CatalogueInfo;
  const Info::Workload prefill{"prefill", {{"M", 2048}, {"N", 4096}}, {"bfloat16", "float32"}};
  const Info::Workload tiny{"tiny", {{"M", 2}, {"N", 4}}, {"bfloat16"}};
  Info info;
  info.ops.push_back({"norm",
                      "norms",
                      "",
                      {"bfloat16", "float32"},
                      {prefill, tiny},
                      {{"one-pass", "", {"cuda", "host"}}, {"eager", "", {"cuda", "host"}}}});
  info.ops.push_back(
      {"gemm", "matrix", "", {"float16"}, {{"square", {{"M", 64}}, {}}}, {{"tiled", "", {"cuda"}}}});
  info.ops.push_back({"trap", "traps", "", {"float32"}, {{"any", {}, {}}}, {{"it", "", {"cuda", "host"}}}});
  return info;
}

}  // namespace opscope::test
