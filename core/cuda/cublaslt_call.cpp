// SPDX-License-Identifier: Apache-2.0
#include "cuda/cublaslt_call.h"

#include <cublasLt.h>
#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "cuda/cuda_memory.h"
#include "cuda/kernel_arguments.h"
#include "cuda/library.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

/// The functions of cuBLASLt used here. The library is half a gigabyte, so it is opened on first use.
struct CublasLtApi {
  Library library;
  decltype(&cublasLtGetVersion) getVersion = nullptr;
  decltype(&cublasLtGetStatusName) getStatusName = nullptr;
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) descCreate = nullptr;
  decltype(&cublasLtMatmulDescDestroy) descDestroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) descSet = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layoutCreate = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layoutDestroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preferenceCreate = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preferenceDestroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preferenceSet = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) getHeuristic = nullptr;

  static const CublasLtApi& get();
  void check(cublasStatus_t status, std::string_view doing) const;
};

CublasLtApi loadCublasLt() {
  CublasLtApi api;
  const auto names = libraryNames("libcublasLt");
  api.library = Library::open(names, libraryFolders());
  if (!api.library)
    throw LibraryMissing(api.library.problem().empty()
                             ? fmt::format("cuBLASLt ({}) was not found", fmt::join(names, ", "))
                             : fmt::format("cuBLASLt could not be loaded: {}", api.library.problem()),
                         "Install cuBLAS (libcublas) or set CUDA_HOME to a CUDA toolkit.");
  const bool complete = api.library.find("cublasLtGetVersion", api.getVersion) &&
                        api.library.find("cublasLtGetStatusName", api.getStatusName) &&
                        api.library.find("cublasLtCreate", api.create) &&
                        api.library.find("cublasLtDestroy", api.destroy) &&
                        api.library.find("cublasLtMatmul", api.matmul) &&
                        api.library.find("cublasLtMatmulDescCreate", api.descCreate) &&
                        api.library.find("cublasLtMatmulDescDestroy", api.descDestroy) &&
                        api.library.find("cublasLtMatmulDescSetAttribute", api.descSet) &&
                        api.library.find("cublasLtMatrixLayoutCreate", api.layoutCreate) &&
                        api.library.find("cublasLtMatrixLayoutDestroy", api.layoutDestroy) &&
                        api.library.find("cublasLtMatmulPreferenceCreate", api.preferenceCreate) &&
                        api.library.find("cublasLtMatmulPreferenceDestroy", api.preferenceDestroy) &&
                        api.library.find("cublasLtMatmulPreferenceSetAttribute", api.preferenceSet) &&
                        api.library.find("cublasLtMatmulAlgoGetHeuristic", api.getHeuristic);
  if (!complete) throw LibraryMissing(fmt::format("cuBLASLt in {} is too old", api.library.path()));
  return api;
}

const CublasLtApi& CublasLtApi::get() {
  static const CublasLtApi api = loadCublasLt();  // tried again next time when it throws
  return api;
}

void CublasLtApi::check(cublasStatus_t status, std::string_view doing) const {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  const cudaError_t underneath = cudaPeekAtLastError();
  if (underneath != cudaSuccess && isFatal(underneath)) throwCudaError(underneath, doing);
  const std::string message = fmt::format("cuBLASLt failed while {}: {}", doing, getStatusName(status));
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemory(message, "Choose a smaller workload.");
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH)
    throw NotSupported(message, "Choose another implementation, dtype or shape.");
  if (status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR)
    throw DeviceLost(message, "This process may not be able to use the GPU any more; start it again.");
  throw InternalError(message);
}

struct DestroyLt {
  void operator()(cublasLtHandle_t handle) const { CublasLtApi::get().destroy(handle); }
  void operator()(cublasLtMatmulDesc_t desc) const { CublasLtApi::get().descDestroy(desc); }
  void operator()(cublasLtMatrixLayout_t layout) const { CublasLtApi::get().layoutDestroy(layout); }
  void operator()(cublasLtMatmulPreference_t preference) const {
    CublasLtApi::get().preferenceDestroy(preference);
  }
};
template <typename Handle>
using OwnedLt = std::unique_ptr<std::remove_pointer_t<Handle>, DestroyLt>;

cudaDataType_t typeOf(const CallSpec& spec, DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return CUDA_R_32F;
    case DType::Float16:
      return CUDA_R_16F;
    case DType::BFloat16:
      return CUDA_R_16BF;
    default:
      throw NotSupported(fmt::format("{}: cublaslt.gemm has no {}", spec.label, nameOf(dtype)),
                         "Choose float32, float16 or bfloat16.");
  }
}

std::int64_t scalar(const CallSpec& spec, const std::string& name, std::optional<std::int64_t> otherwise,
                    std::int64_t low, std::int64_t high) {
  const auto found = spec.scalars.find(name);
  if (found == spec.scalars.end()) {
    if (otherwise) return *otherwise;
    throw BadInput(fmt::format("{}: cublaslt.gemm needs a dimension '{}'", spec.label, name));
  }
  const double real = found->second.floating ? found->second.real : 0;
  const std::int64_t value = found->second.floating ? static_cast<std::int64_t>(real) : found->second.integer;
  if ((found->second.floating && real != static_cast<double>(value)) || value < low || value > high)
    throw BadInput(fmt::format("{}: '{}' of cublaslt.gemm must be a whole number from {} to {}", spec.label,
                               name, low, high));
  return value;
}

void requireShape(const CallSpec& spec, const TensorArg& tensor, std::int64_t rows, std::int64_t columns) {
  if (tensor.shape != std::vector{rows, columns})
    throw BadInput(fmt::format("{}: '{}' is [{}], cublaslt.gemm needs [{}, {}]", spec.label, tensor.name,
                               fmt::join(tensor.shape, ", "), rows, columns));
  const std::size_t needed =
      static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * bytesOf(tensor.dtype);
  if (tensor.memory->bytes() < needed)
    throw BadInput(fmt::format("{}: '{}' has {} bytes of the {} that its shape needs", spec.label,
                               tensor.name, tensor.memory->bytes(), needed));
}

class GemmCall final : public Call {
 public:
  GemmCall(CudaContext& context, const CallSpec& spec);
  void issue() override {
    constexpr float one = 1;
    constexpr float zero = 0;
    api_.check(api_.matmul(handle_.get(), desc_.get(), &one, b_, layoutB_.get(), a_, layoutA_.get(), &zero,
                           c_, layoutC_.get(), c_, layoutC_.get(), &algorithm_, workspace_->address(),
                           workspace_->bytes(), context_.main()),
               what_);
  }

 private:
  OwnedLt<cublasLtMatrixLayout_t> layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns) const;

  CudaContext& context_;
  const CublasLtApi& api_;
  std::string what_;
  OwnedLt<cublasLtHandle_t> handle_;
  OwnedLt<cublasLtMatmulDesc_t> desc_;
  OwnedLt<cublasLtMatrixLayout_t> layoutA_;
  OwnedLt<cublasLtMatrixLayout_t> layoutB_;
  OwnedLt<cublasLtMatrixLayout_t> layoutC_;
  cublasLtMatmulAlgo_t algorithm_{};
  std::optional<CudaMemory> workspace_;
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  void* c_ = nullptr;
};

OwnedLt<cublasLtMatrixLayout_t> GemmCall::layout(cudaDataType_t type, std::int64_t rows,
                                                 std::int64_t columns) const {
  cublasLtMatrixLayout_t made = nullptr;
  // A row-major matrix is the column-major form of its transpose.
  api_.check(api_.layoutCreate(&made, type, static_cast<std::uint64_t>(columns),
                               static_cast<std::uint64_t>(rows), columns),
             "describing a matrix");
  return OwnedLt<cublasLtMatrixLayout_t>(made);
}

GemmCall::GemmCall(CudaContext& context, const CallSpec& spec)
    : context_(context), api_(CublasLtApi::get()), what_("running cublaslt.gemm of " + spec.label) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const std::int64_t m = scalar(spec, "m", std::nullopt, 1, kMost);
  const std::int64_t n = scalar(spec, "n", std::nullopt, 1, kMost);
  const std::int64_t k = scalar(spec, "k", std::nullopt, 1, kMost);
  const bool transA = scalar(spec, "trans_a", 0, 0, 1) != 0;
  const bool transB = scalar(spec, "trans_b", 0, 0, 1) != 0;
  const TensorArg& a = tensorNamed(spec, "a");
  const TensorArg& b = tensorNamed(spec, "b");
  const TensorArg& c = tensorNamed(spec, "c");
  requireShape(spec, a, transA ? k : m, transA ? m : k);
  requireShape(spec, b, transB ? n : k, transB ? k : n);
  requireShape(spec, c, m, n);
  if (a.dtype != c.dtype || b.dtype != c.dtype)
    throw NotSupported(fmt::format("{}: cublaslt.gemm needs one dtype, not {}, {} and {}", spec.label,
                                   nameOf(a.dtype), nameOf(b.dtype), nameOf(c.dtype)));
  const cudaDataType_t type = typeOf(spec, c.dtype);
  a_ = a.memory->address();
  b_ = b.memory->address();
  c_ = c.memory->address();

  cublasLtHandle_t handle = nullptr;
  api_.check(api_.create(&handle), "starting");
  handle_.reset(handle);
  // c = op(a) . op(b) read column by column is c' = op(b)' . op(a)': the operands change places.
  cublasLtMatmulDesc_t desc = nullptr;
  api_.check(api_.descCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing the product");
  desc_.reset(desc);
  const auto setOperation = [&](cublasLtMatmulDescAttributes_t which, bool transposed) {
    const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    api_.check(api_.descSet(desc, which, &operation, sizeof operation), "describing the product");
  };
  setOperation(CUBLASLT_MATMUL_DESC_TRANSA, transB);
  setOperation(CUBLASLT_MATMUL_DESC_TRANSB, transA);
  layoutA_ = layout(type, a.shape[0], a.shape[1]);
  layoutB_ = layout(type, b.shape[0], b.shape[1]);
  layoutC_ = layout(type, m, n);

  // Twice what cuBLAS itself sets aside on this generation of GPUs: enough for split-k of every shape here.
  constexpr std::size_t kWorkspace = 64 << 20;
  cublasLtMatmulPreference_t made = nullptr;
  api_.check(api_.preferenceCreate(&made), "describing the search");
  const OwnedLt<cublasLtMatmulPreference_t> preference(made);
  api_.check(
      api_.preferenceSet(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace),
      "describing the search");
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t searched = api_.getHeuristic(handle, desc, layoutB_.get(), layoutA_.get(),
                                                    layoutC_.get(), layoutC_.get(), made, 1, &result, &found);
  if (searched != CUBLAS_STATUS_SUCCESS || found == 0)
    throw NotSupported(fmt::format("{}: cuBLASLt has no algorithm for m={}, n={}, k={} in {} ({})",
                                   spec.label, m, n, k, nameOf(c.dtype), api_.getStatusName(searched)),
                       "Choose another implementation, dtype or shape.");
  algorithm_ = result.algo;
  workspace_.emplace(result.workspaceSize);

  // The kernel's code is loaded by its first launch. Only c is written, which every call overwrites whole.
  issue();
  context_.drain();
}

}  // namespace

std::unique_ptr<Call> prepareCublasLtGemm(CudaContext& context, const CallSpec& spec) {
  return std::make_unique<GemmCall>(context, spec);
}

std::string describeCublasLt() {
  const CublasLtApi& api = CublasLtApi::get();
  const std::size_t version = api.getVersion();
  // CUBLAS_VERSION counts 130002 as 13.0.2 (and 120803 as 12.8.3).
  return fmt::format("{}.{}.{}, {}", version / 10000, version / 100 % 100, version % 100, api.library.path());
}

}  // namespace opscope::cuda
