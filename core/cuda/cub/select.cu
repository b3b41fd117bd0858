// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_segmented_radix_sort.cuh>

#include "rows.cuh"

using namespace opscope_cub;

namespace {

constexpr int kThreads = 256;

__global__ void numberColumns(int* numbers, long long elements, unsigned columns) {
  const long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (i < elements) numbers[i] = static_cast<int>(static_cast<unsigned>(i) % columns);
}

__global__ void takeFirst(const int* sorted, int* taken, long long rows, unsigned columns, unsigned k) {
  const long long i = blockIdx.x * static_cast<long long>(kThreads) + threadIdx.x;
  if (i < rows * k) taken[i] = sorted[i / k * columns + i % k];
}

unsigned blocksFor(long long elements) {
  return static_cast<unsigned>((elements + kThreads - 1) / kThreads);
}

std::size_t rounded(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// A row's elements in falling order with their numbers, of equal ones the lower number first: radix sort is
// stable.
template <typename Element>
cudaError_t sortFalling(const OpscopeCubRows& call, void* temp, std::size_t& bytes, const int* numbers,
                        Element* keys, int* sorted) {
  const auto begins = rowBegins(call.columns);
  return cub::DeviceSegmentedRadixSort::SortPairsDescending(
      temp, bytes, static_cast<const Element*>(call.x), keys, numbers, sorted,
      static_cast<int>(call.rows * call.columns), static_cast<int>(call.rows), begins, begins + 1, 0,
      static_cast<int>(sizeof(Element) * 8), call.stream);
}

template <typename Element>
int sort(const OpscopeCubRows& call, int* indices) {
  const long long elements = call.rows * call.columns;
  std::size_t forSort = 0;
  const cudaError_t error = sortFalling<Element>(call, nullptr, forSort, nullptr, nullptr, nullptr);
  if (error != cudaSuccess) return error;
  const std::size_t ofInts = rounded(static_cast<std::size_t>(elements) * sizeof(int));
  if (call.temp == nullptr) {
    *call.temp_bytes = ofInts + forSort;
    return cudaSuccess;
  }
  int* const numbers = static_cast<int*>(call.temp);
  numberColumns<<<blocksFor(elements), kThreads, 0, call.stream>>>(numbers, elements,
                                                                   static_cast<unsigned>(call.columns));
  return sortFalling(call, static_cast<char*>(call.temp) + ofInts, forSort, numbers,
                     static_cast<Element*>(call.y), indices);
}

template <typename Element>
int topk(const OpscopeCubRows& call, long long k) {
  const long long elements = call.rows * call.columns;
  const auto beginsTaken = rowBegins(k);
  const auto sortTaken = [&](void* temp, std::size_t& bytes, const int* taken) {
    return cub::DeviceSegmentedRadixSort::SortKeys(
        temp, bytes, taken, static_cast<int*>(call.y), static_cast<int>(call.rows * k),
        static_cast<int>(call.rows), beginsTaken, beginsTaken + 1, 0, 32, call.stream);
  };
  std::size_t forPairs = 0, forTaken = 0;
  cudaError_t error = sortFalling<Element>(call, nullptr, forPairs, nullptr, nullptr, nullptr);
  if (error == cudaSuccess) error = sortTaken(nullptr, forTaken, nullptr);
  if (error != cudaSuccess) return error;
  const std::size_t ofInts = rounded(static_cast<std::size_t>(elements) * sizeof(int));
  const std::size_t ofKeys = rounded(static_cast<std::size_t>(elements) * sizeof(Element));
  const std::size_t ofTaken = rounded(static_cast<std::size_t>(call.rows * k) * sizeof(int));
  if (call.temp == nullptr) {
    *call.temp_bytes = 2 * ofInts + ofKeys + ofTaken + (forPairs > forTaken ? forPairs : forTaken);
    return cudaSuccess;
  }
  char* next = static_cast<char*>(call.temp);
  const auto take = [&](std::size_t bytes) {
    char* taken = next;
    next += bytes;
    return static_cast<void*>(taken);
  };
  int* const numbers = static_cast<int*>(take(ofInts));
  int* const sorted = static_cast<int*>(take(ofInts));
  Element* const keys = static_cast<Element*>(take(ofKeys));
  int* const taken = static_cast<int*>(take(ofTaken));
  const auto columns = static_cast<unsigned>(call.columns);
  numberColumns<<<blocksFor(elements), kThreads, 0, call.stream>>>(numbers, elements, columns);
  error = sortFalling(call, next, forPairs, numbers, keys, sorted);
  if (error != cudaSuccess) return error;
  takeFirst<<<blocksFor(call.rows * k), kThreads, 0, call.stream>>>(sorted, taken, call.rows, columns,
                                                                    static_cast<unsigned>(k));
  error = sortTaken(next, forTaken, taken);
  return error != cudaSuccess ? error : cudaPeekAtLastError();
}

}  // namespace

extern "C" int opscope_cub_sort(const OpscopeCubRows* call, int* indices) {
  if (call->dtype == OPSCOPE_CUB_FLOAT32) return sort<float>(*call, indices);
  if (call->dtype == OPSCOPE_CUB_BFLOAT16) return sort<__nv_bfloat16>(*call, indices);
  return cudaErrorInvalidValue;
}

// All rows are sorted whole with the numbers of their elements, and then the numbers of the first k.
extern "C" int opscope_cub_topk(const OpscopeCubRows* call, long long k) {
  if (call->dtype == OPSCOPE_CUB_FLOAT32) return topk<float>(*call, k);
  if (call->dtype == OPSCOPE_CUB_BFLOAT16) return topk<__nv_bfloat16>(*call, k);
  return cudaErrorInvalidValue;
}
