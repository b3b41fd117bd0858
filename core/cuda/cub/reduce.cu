// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <iterator>
#include <limits>

#include "rows.cuh"

using namespace opscope_cub;

namespace {

template <typename Op>
int reduceRows(const OpscopeCubRows& call, Op op, float first) {
  return withElement(call.dtype, [&](auto* element) -> int {
    using Element = std::remove_pointer_t<decltype(element)>;
    const auto begins = rowBegins(call.columns);
    return cub::DeviceSegmentedReduce::Reduce(
        call.temp, *call.temp_bytes, static_cast<const Element*>(call.x), static_cast<Element*>(call.y),
        static_cast<int>(call.rows), begins, begins + 1, op, first, call.stream);
  });
}

// Takes pairs of place and value, and keeps the places.
struct Places {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = void;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  struct reference {
    long long* place;
    template <typename Pair>
    __host__ __device__ const reference& operator=(const Pair& pair) const {
      *place = pair.key;
      return *this;
    }
  };

  long long* first;
  __host__ __device__ reference operator*() const { return {first}; }
  __host__ __device__ Places operator+(difference_type i) const { return {first + i}; }
};

}  // namespace

extern "C" {

int opscope_cub_interface(void) {
  return OPSCOPE_CUB_INTERFACE;
}

int opscope_cub_version(void) {
  return CUB_VERSION;
}

int opscope_cub_sum(const OpscopeCubRows* call) {
  return reduceRows(*call, Add{}, 0.0f);
}

int opscope_cub_max(const OpscopeCubRows* call) {
  return reduceRows(*call, Larger{}, -std::numeric_limits<float>::infinity());
}

int opscope_cub_argmax(const OpscopeCubRows* call) {
  return withElement(call->dtype, [&](auto* element) -> int {
    using Element = std::remove_pointer_t<decltype(element)>;
    const auto begins = rowBegins(call->columns);
    const Places places{static_cast<long long*>(call->y)};
    return cub::DeviceSegmentedReduce::ArgMax(call->temp, *call->temp_bytes,
                                              static_cast<const Element*>(call->x), places,
                                              static_cast<int>(call->rows), begins, begins + 1, call->stream);
  });
}

}  // extern "C"
