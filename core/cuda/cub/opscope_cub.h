// SPDX-License-Identifier: Apache-2.0
#ifndef OPSCOPE_CUB_H
#define OPSCOPE_CUB_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/* What the module with CUB's device-wide algorithms offers. CUB is a library of templates, which only nvcc
   compiles into calls of the host: so it is a library of its own, opened while the program runs, and absent
   where there was no nvcc. All functions work on the rows of x[rows, columns] and issue to `stream`. Called
   with a null `temp` they only set `temp_bytes` to the scratch memory that they need. The result is an error
   of CUDA's, 0 for success. */
#define OPSCOPE_CUB_INTERFACE 1

/* All else in the module is hidden. */
#define OPSCOPE_CUB_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming,modernize-use-using,modernize-redundant-void-arg) */
enum { OPSCOPE_CUB_FLOAT32 = 0, OPSCOPE_CUB_FLOAT16 = 1, OPSCOPE_CUB_BFLOAT16 = 2 };

typedef struct OpscopeCubRows {
  int dtype;
  long long rows;
  long long columns;
  const void* x;
  void* y;
  void* temp;
  size_t* temp_bytes;
  cudaStream_t stream;
} OpscopeCubRows;

typedef int OpscopeCubFunction(const OpscopeCubRows* call);

/* OPSCOPE_CUB_INTERFACE of the module, and CUB's version as in 200801 for 2.8.1. */
OPSCOPE_CUB_API int opscope_cub_interface(void);
OPSCOPE_CUB_API int opscope_cub_version(void);
/* y[row], of x's type; sums in float32. */
OPSCOPE_CUB_API int opscope_cub_sum(const OpscopeCubRows* call);
OPSCOPE_CUB_API int opscope_cub_max(const OpscopeCubRows* call);
/* y[row], long long: the first of the largest. */
OPSCOPE_CUB_API int opscope_cub_argmax(const OpscopeCubRows* call);
/* y[rows, columns], of x's type; sums in float32. rows * columns below 2^31. */
OPSCOPE_CUB_API int opscope_cub_cumsum(const OpscopeCubRows* call);
/* y[rows, columns], of x's type, in falling order, and where each was, of equal ones the first. float32 and
   bfloat16; rows * columns below 2^31. */
OPSCOPE_CUB_API int opscope_cub_sort(const OpscopeCubRows* call, int* indices);
/* y[rows, k], int: where the k largest are, ascending; of equal ones the first. float32 and bfloat16;
   rows * columns below 2^31. */
OPSCOPE_CUB_API int opscope_cub_topk(const OpscopeCubRows* call, long long k);

/* NOLINTEND(readability-identifier-naming,modernize-use-using,modernize-redundant-void-arg) */

#ifdef __cplusplus
}
#endif

#endif
