// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_scan.cuh>

#include "rows.cuh"

using namespace opscope_cub;

namespace {

struct RowOf {
  unsigned columns;
  __host__ __device__ unsigned operator()(unsigned element) const { return element / columns; }
};

struct Equal {
  __host__ __device__ bool operator()(unsigned a, unsigned b) const { return a == b; }
};

}  // namespace

// One scan over all elements that begins anew where the row changes.
extern "C" int opscope_cub_cumsum(const OpscopeCubRows* call) {
  return withElement(call->dtype, [&](auto* element) -> int {
    using Element = std::remove_pointer_t<decltype(element)>;
    const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0u),
                                                      RowOf{static_cast<unsigned>(call->columns)});
    return cub::DeviceScan::InclusiveScanByKey(
        call->temp, *call->temp_bytes, rows, static_cast<const Element*>(call->x),
        static_cast<Element*>(call->y), Add{}, static_cast<unsigned>(call->rows * call->columns), Equal{},
        call->stream);
  });
}
