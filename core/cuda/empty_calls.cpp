// SPDX-License-Identifier: Apache-2.0
#include "cuda/empty_calls.h"

#include <algorithm>
#include <array>

namespace opscope::cuda {
namespace {

template <typename Arguments, std::size_t Arguments::* size>
std::size_t member(const void* arguments) {
  return static_cast<const Arguments*>(arguments)->*size;
}

template <typename Arguments>
constexpr SizedApi runtime(CUpti_CallbackId id) {
  return {CUPTI_CB_DOMAIN_RUNTIME_API, id, member<Arguments, &Arguments::count>};
}

template <typename Arguments>
constexpr SizedApi driver(CUpti_CallbackId id) {
  return {CUPTI_CB_DOMAIN_DRIVER_API, id, member<Arguments, &Arguments::N>};
}

constexpr std::array kApis{
    runtime<cudaMemset_v3020_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020),
    runtime<cudaMemset_ptds_v7000_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemset_ptds_v7000),
    runtime<cudaMemsetAsync_v3020_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020),
    runtime<cudaMemsetAsync_ptsz_v7000_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_ptsz_v7000),
    runtime<cudaMemcpy_v3020_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020),
    runtime<cudaMemcpy_ptds_v7000_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_ptds_v7000),
    runtime<cudaMemcpyAsync_v3020_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020),
    runtime<cudaMemcpyAsync_ptsz_v7000_params>(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000),
    driver<cuMemsetD8Async_params>(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async),
    driver<cuMemsetD8Async_ptsz_params>(CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async_ptsz),
    driver<cuMemsetD16Async_params>(CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async),
    driver<cuMemsetD16Async_ptsz_params>(CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async_ptsz),
    driver<cuMemsetD32Async_params>(CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async),
    driver<cuMemsetD32Async_ptsz_params>(CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async_ptsz),
};

}  // namespace

std::span<const SizedApi> sizedApis() {
  return kApis;
}

std::optional<std::size_t> sizeAsked(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                     const void* arguments) {
  const auto found =
      std::ranges::find_if(kApis, [&](const SizedApi& api) { return api.domain == domain && api.id == id; });
  if (found == kApis.end() || arguments == nullptr) return std::nullopt;
  return found->bytes(arguments);
}

}  // namespace opscope::cuda
