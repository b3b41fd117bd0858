// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the files of the module share: elements by dtype, and where rows begin.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "opscope_cub.h"

namespace opscope_cub {

template <typename Use>
int withElement(int dtype, Use use) {
  switch (dtype) {
    case OPSCOPE_CUB_FLOAT32:
      return use(static_cast<float*>(nullptr));
    case OPSCOPE_CUB_FLOAT16:
      return use(static_cast<__half*>(nullptr));
    case OPSCOPE_CUB_BFLOAT16:
      return use(static_cast<__nv_bfloat16*>(nullptr));
    default:
      return cudaErrorInvalidValue;
  }
}

struct TimesColumns {
  long long columns;
  __host__ __device__ long long operator()(long long row) const { return row * columns; }
};

// The first element of each row.
inline auto rowBegins(long long columns) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator(0LL), TimesColumns{columns});
}

// In float32, whatever the elements are: that is the type that CUB then adds up in.
struct Add {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

struct Larger {
  __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};

}  // namespace opscope_cub
