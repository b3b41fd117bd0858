// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// What the libraries' grouped products are made of: c[rows of g] = a[rows of g] w[g]' with a[T, K], w[E, N,
/// K], c[T, N] in one 16-bit or float32 type, and where each group's rows begin in offsets[E + 1] (int64).
/// The libraries want the sizes from the host, so they are read from the GPU once, when the call is prepared.
struct GroupedProduct {
  struct Group {
    std::int64_t index = 0;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
  };
  std::vector<Group> groups;  ///< those that have rows
  std::int64_t n = 0;
  std::int64_t k = 0;
  const TensorArg* a = nullptr;
  const TensorArg* w = nullptr;
  const TensorArg* c = nullptr;
};

/// The groups of `spec`. Throws BadInput for shapes, dtypes or offsets that do not fit each other.
GroupedProduct groupedProductOf(CudaContext& context, const CallSpec& spec);

/// The groups that `offsets` makes of `rows` rows. Throws BadInput, naming `label`, unless they begin with 0,
/// end with `rows` and never fall.
std::vector<GroupedProduct::Group> groupsOf(const std::vector<std::int64_t>& offsets, std::int64_t rows,
                                            const std::string& label);

}  // namespace opscope::cuda
