// SPDX-License-Identifier: Apache-2.0
#include "cuda/cublas_grouped_call.h"

#include <cublas_v2.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "cuda/cublas_status.h"
#include "cuda/cuda_check.h"
#include "cuda/cuda_memory.h"
#include "cuda/grouped_product.h"
#include "cuda/library.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

/// The functions of cuBLAS used here; opened on first use.
struct CublasApi {
  Library library;
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasSetStream_v2) setStream = nullptr;
  decltype(&cublasGetStatusName) getStatusName = nullptr;
  decltype(&cublasGemmGroupedBatchedEx) grouped = nullptr;

  static const CublasApi& get() {
    static const CublasApi api = load();  // tried again next time when it throws
    return api;
  }
  void check(cublasStatus_t status, std::string_view doing) const {
    if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
      throwCublasError(status, getStatusName(status), "cuBLAS", doing);
  }

 private:
  static CublasApi load() {
    CublasApi api;
    const auto names = libraryNames("libcublas");
    api.library = Library::open(names, libraryFolders());
    if (!api.library)
      throw LibraryMissing(api.library.problem().empty()
                               ? fmt::format("cuBLAS ({}) was not found", fmt::join(names, ", "))
                               : fmt::format("cuBLAS could not be loaded: {}", api.library.problem()),
                           "Install cuBLAS (libcublas) or set CUDA_HOME to a CUDA toolkit.");
    if (!api.library.find("cublasCreate_v2", api.create) ||
        !api.library.find("cublasDestroy_v2", api.destroy) ||
        !api.library.find("cublasSetStream_v2", api.setStream) ||
        !api.library.find("cublasGetStatusName", api.getStatusName) ||
        !api.library.find("cublasGemmGroupedBatchedEx", api.grouped))
      throw LibraryMissing(fmt::format(
          "cuBLAS in {} is too old for grouped products, which came with CUDA 12.5", api.library.path()));
    return api;
  }
};

cudaDataType_t groupedTypeOf(const CallSpec& spec, DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return CUDA_R_32F;
    case DType::Float16:
      return CUDA_R_16F;
    case DType::BFloat16:
      return CUDA_R_16BF;
    default:
      throw NotSupported(fmt::format("{}: cuBLAS has no grouped products of {}", spec.label, nameOf(dtype)),
                         "Choose float32, float16 or bfloat16.");
  }
}

class GroupedCall final : public Call {
 public:
  GroupedCall(CudaContext& context, const CallSpec& spec)
      : context_(context), api_(CublasApi::get()), what_("running cuBLAS for " + spec.label) {
    const GroupedProduct grouped = groupedProductOf(context, spec);
    type_ = groupedTypeOf(spec, grouped.a->dtype);
    if (std::max({grouped.n, grouped.k, grouped.a->shape[0]}) > std::numeric_limits<int>::max())
      throw NotSupported(fmt::format("{}: cuBLAS takes sizes of at most 31 bits", spec.label),
                         "Choose another implementation or shape.");
    const auto bytes = static_cast<std::int64_t>(bytesOf(grouped.a->dtype));
    const std::size_t count = grouped.groups.size();
    // c = a w' read column by column is c' = w a': the operands change places.
    std::vector<void*> pointers;
    const auto add = [&](const TensorArg& tensor, const auto& firstElement) {
      for (const GroupedProduct::Group& group : grouped.groups)
        pointers.push_back(static_cast<std::byte*>(tensor.memory->address()) + firstElement(group) * bytes);
    };
    add(*grouped.w, [&](const auto& group) { return group.index * grouped.n * grouped.k; });
    add(*grouped.a, [&](const auto& group) { return group.firstRow * grouped.k; });
    add(*grouped.c, [&](const auto& group) { return group.firstRow * grouped.n; });
    pointers_ = std::make_unique<CudaMemory>(pointers.size() * sizeof(void*));
    cuda::check(cudaMemcpyAsync(pointers_->address(), pointers.data(), pointers_->bytes(),
                                cudaMemcpyHostToDevice, context.main()),
                "copying to the GPU");
    context.drain();
    transposed_.assign(count, CUBLAS_OP_T);
    plain_.assign(count, CUBLAS_OP_N);
    n_.assign(count, static_cast<int>(grouped.n));
    k_.assign(count, static_cast<int>(grouped.k));
    for (const GroupedProduct::Group& group : grouped.groups) rows_.push_back(static_cast<int>(group.rows));
    each_.assign(count, 1);
    ones_.assign(count, 1.0f);
    zeros_.assign(count, 0.0f);

    cublasHandle_t handle = nullptr;
    api_.check(api_.create(&handle), "starting");
    handle_ = std::shared_ptr<cublasContext>(handle, api_.destroy);
    // The kernels' code is loaded by their first launch. Only c is written, which every call overwrites
    // whole.
    issue();
    context.drain();
  }

  void issue() override {
    if (stream_ != context_.main()) {
      stream_ = context_.main();
      api_.check(api_.setStream(handle_.get(), stream_), what_);
    }
    const std::size_t count = rows_.size();
    auto* const* first = static_cast<void* const*>(pointers_->address());
    api_.check(api_.grouped(handle_.get(), transposed_.data(), plain_.data(), n_.data(), rows_.data(),
                            k_.data(), ones_.data(), first, type_, k_.data(), first + count, type_, k_.data(),
                            zeros_.data(), first + 2 * count, type_, n_.data(), static_cast<int>(count),
                            each_.data(), CUBLAS_COMPUTE_32F),
               what_);
  }

 private:
  CudaContext& context_;
  const CublasApi& api_;
  std::string what_;
  cudaDataType_t type_ = CUDA_R_32F;
  std::unique_ptr<CudaMemory> pointers_;  ///< of every w, every a and every c
  std::vector<cublasOperation_t> transposed_;
  std::vector<cublasOperation_t> plain_;
  std::vector<int> n_;
  std::vector<int> rows_;
  std::vector<int> k_;
  std::vector<int> each_;
  std::vector<float> ones_;
  std::vector<float> zeros_;
  std::shared_ptr<cublasContext> handle_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<Call> prepareCublasGrouped(CudaContext& context, const CallSpec& spec) {
  return std::make_unique<GroupedCall>(context, spec);
}

}  // namespace opscope::cuda
