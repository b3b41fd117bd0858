// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "base/error.h"
#include "ops/catalogue.h"

namespace opscope::testing {

/// A whole, right op on line 1 and following; the tests break it in one place each. Its file lies among the
/// built-in ops, so that sources are found.
inline const std::string kSmallOp = R"yaml(scale:
  family: test
  doc: y = factor x.
  signature:
    inputs:
      x: {shape: [M, N], distribution: "normal(0, 1)"}
    outputs:
      y: {shape: [M, N]}
    params:
      factor: {default: 2.0}
      count: {default: 3}
  dtypes: [float32, float16]
  workloads:
    - {label: small, M: 3, N: 5}
    - {label: wide, M: 1, N: 7, dtypes: [float16]}
  roofline:
    flops: M * N
    bytes: 2 * M * N * elem_bytes
  reference: twice
  implementations:
    direct:
      doc: One kernel.
      cuda:
        source: traps.cu
        kernels:
          - {kernel: twice, grid: "ceil_div(M * N, 256)", block: 256, args: [x, y, M]}
      host: {function: trap.twice}
)yaml";

inline std::filesystem::path smallOpFile() {
  return std::filesystem::path(OPSCOPE_SOURCE_DIR) / "resources" / "ops" / "small.yaml";
}

inline OpSpec smallOp() {
  return parseOps(kSmallOp, smallOpFile()).at(0);
}

/// The small op with `from` replaced by `to`, which must be there.
inline std::string broken(const std::string& from, const std::string& to) {
  const std::size_t at = kSmallOp.find(from);
  REQUIRE(at != std::string::npos);
  std::string text = kSmallOp;
  return text.replace(at, from.size(), to);
}

/// The failure of parsing `text`; fails the test when there is none, or when it is not BadInput.
inline ErrorInfo failureOf(const std::string& text) {
  try {
    parseOps(text, "ops.yaml");
  } catch (const BadInput& error) {
    return error.info();
  }
  FAIL("parsed without an error:\n" << text);
  return {};
}

}  // namespace opscope::testing
