// SPDX-License-Identifier: Apache-2.0
#include "cuda/cublaslt_call.h"

#include <cublasLt.h>
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "cuda/cublas_status.h"
#include "cuda/cuda_memory.h"
#include "cuda/grouped_product.h"
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
  decltype(&cublasLtMatrixLayoutSetAttribute) layoutSet = nullptr;
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
                        api.library.find("cublasLtMatrixLayoutSetAttribute", api.layoutSet) &&
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
  if (status != CUBLAS_STATUS_SUCCESS) [[unlikely]]
    throwCublasError(status, getStatusName(status), "cuBLASLt", doing);
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

cudaDataType_t matmulTypeOf(const CallSpec& spec, DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return CUDA_R_32F;
    case DType::Float16:
      return CUDA_R_16F;
    case DType::BFloat16:
      return CUDA_R_16BF;
    case DType::Float8E4M3:
      return CUDA_R_8F_E4M3;
    default:
      throw NotSupported(fmt::format("{}: cuBLASLt has no products of {}", spec.label, nameOf(dtype)),
                         "Choose float32, float16, bfloat16 or float8_e4m3fn.");
  }
}

std::int64_t scalar(const CallSpec& spec, const std::string& name, std::optional<std::int64_t> otherwise,
                    std::int64_t low, std::int64_t high) {
  const auto found = spec.scalars.find(name);
  if (found == spec.scalars.end()) {
    if (otherwise) return *otherwise;
    throw BadInput(fmt::format("{}: cuBLASLt needs a dimension '{}'", spec.label, name));
  }
  const double real = found->second.floating ? found->second.real : 0;
  const std::int64_t value = found->second.floating ? static_cast<std::int64_t>(real) : found->second.integer;
  if ((found->second.floating && real != static_cast<double>(value)) || value < low || value > high)
    throw BadInput(fmt::format("{}: '{}' of a product must be a whole number from {} to {}", spec.label, name,
                               low, high));
  return value;
}

/// What is multiplied: c = op(a) op(b), `batches` times where the tensors have three dimensions.
struct Product {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::optional<std::int64_t> batches;
  bool transA = false;
  bool transB = false;
  const TensorArg* a = nullptr;
  const TensorArg* b = nullptr;
  const TensorArg* c = nullptr;
};

void requireShape(const CallSpec& spec, const Product& product, const TensorArg& tensor, std::int64_t rows,
                  std::int64_t columns) {
  std::vector<std::int64_t> shape{rows, columns};
  if (product.batches) shape.insert(shape.begin(), *product.batches);
  if (tensor.shape != shape)
    throw BadInput(fmt::format("{}: '{}' is [{}], cuBLASLt needs [{}]", spec.label, tensor.name,
                               fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
  std::size_t needed = bytesOf(tensor.dtype);
  for (const std::int64_t size : shape) needed *= static_cast<std::size_t>(size);
  if (tensor.memory->bytes() < needed)
    throw BadInput(fmt::format("{}: '{}' has {} bytes of the {} that its shape needs", spec.label,
                               tensor.name, tensor.memory->bytes(), needed));
}

Product productOf(const CallSpec& spec, bool batched, bool fp8) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  Product product;
  product.m = scalar(spec, "m", std::nullopt, 1, kMost);
  product.n = scalar(spec, "n", std::nullopt, 1, kMost);
  product.k = scalar(spec, "k", std::nullopt, 1, kMost);
  if (batched) product.batches = scalar(spec, "b", std::nullopt, 1, std::numeric_limits<std::int32_t>::max());
  product.transA = scalar(spec, "trans_a", 0, 0, 1) != 0;
  product.transB = fp8 || scalar(spec, "trans_b", 0, 0, 1) != 0;  // fp8 has this form alone
  product.a = &tensorNamed(spec, "a");
  product.b = &tensorNamed(spec, batched ? "w" : "b");
  product.c = &tensorNamed(spec, "c");
  const auto [m, n, k] = std::tuple(product.m, product.n, product.k);
  requireShape(spec, product, *product.a, product.transA ? k : m, product.transA ? m : k);
  requireShape(spec, product, *product.b, product.transB ? n : k, product.transB ? k : n);
  requireShape(spec, product, *product.c, m, n);
  const DType inputs = fp8 ? DType::Float8E4M3 : product.c->dtype;
  if (product.a->dtype != inputs || product.b->dtype != inputs ||
      (fp8 && product.c->dtype != DType::BFloat16))
    throw NotSupported(fmt::format("{}: cuBLASLt cannot multiply {} and {} to {} here", spec.label,
                                   nameOf(product.a->dtype), nameOf(product.b->dtype),
                                   nameOf(product.c->dtype)));
  return product;
}

// Twice what cuBLAS itself sets aside on this generation of GPUs: enough for split-k of every shape here.
constexpr std::size_t kWorkspace = 64 << 20;

class GemmCall final : public Call {
 public:
  /// `workspace`: kWorkspace bytes that products of one stream share; null: one of its own, as large as
  /// needed.
  GemmCall(CudaContext& context, const CallSpec& spec, const Product& product,
           std::shared_ptr<CudaMemory> workspace = nullptr);
  void issue() override {
    constexpr float one = 1;
    constexpr float zero = 0;
    api_.check(api_.matmul(handle_.get(), desc_.get(), &one, b_, layoutB_.get(), a_, layoutA_.get(), &zero,
                           c_, layoutC_.get(), c_, layoutC_.get(), &algorithm_, workspace_->address(),
                           workspace_->bytes(), context_.main()),
               what_);
  }

 private:
  OwnedLt<cublasLtMatrixLayout_t> layout(const CallSpec& spec, const TensorArg& tensor) const;

  CudaContext& context_;
  const CublasLtApi& api_;
  std::string what_;
  const void* a_;
  const void* b_;
  void* c_;
  OwnedLt<cublasLtHandle_t> handle_;
  OwnedLt<cublasLtMatmulDesc_t> desc_;
  OwnedLt<cublasLtMatrixLayout_t> layoutA_;
  OwnedLt<cublasLtMatrixLayout_t> layoutB_;
  OwnedLt<cublasLtMatrixLayout_t> layoutC_;
  cublasLtMatmulAlgo_t algorithm_{};
  std::shared_ptr<CudaMemory> workspace_;
};

OwnedLt<cublasLtMatrixLayout_t> GemmCall::layout(const CallSpec& spec, const TensorArg& tensor) const {
  cublasLtMatrixLayout_t made = nullptr;
  const std::size_t dims = tensor.shape.size();
  const std::int64_t rows = tensor.shape[dims - 2], columns = tensor.shape[dims - 1];
  // A row-major matrix is the column-major form of its transpose.
  api_.check(api_.layoutCreate(&made, matmulTypeOf(spec, tensor.dtype), static_cast<std::uint64_t>(columns),
                               static_cast<std::uint64_t>(rows), columns),
             "describing a matrix");
  OwnedLt<cublasLtMatrixLayout_t> owned(made);
  if (dims == 3) {
    const auto batches = static_cast<std::int32_t>(tensor.shape[0]);
    const std::int64_t stride = rows * columns;
    api_.check(api_.layoutSet(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof batches),
               "describing a matrix");
    api_.check(api_.layoutSet(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride),
               "describing a matrix");
  }
  return owned;
}

// What an address is a multiple of, as far as the library asks.
std::uint32_t alignmentOf(const void* address) {
  constexpr std::uintptr_t kMost = 256;
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | kMost;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

GemmCall::GemmCall(CudaContext& context, const CallSpec& spec, const Product& product,
                   std::shared_ptr<CudaMemory> workspace)
    : context_(context),
      api_(CublasLtApi::get()),
      what_("running cuBLASLt for " + spec.label),
      a_(product.a->memory->address()),
      b_(product.b->memory->address()),
      c_(product.c->memory->address()) {
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
  setOperation(CUBLASLT_MATMUL_DESC_TRANSA, product.transB);
  setOperation(CUBLASLT_MATMUL_DESC_TRANSB, product.transA);
  if (product.a->dtype == DType::Float8E4M3) {
    const auto setScale = [&](cublasLtMatmulDescAttributes_t which, const char* tensor) {
      const void* address = tensorNamed(spec, tensor).memory->address();
      api_.check(api_.descSet(desc, which, &address, sizeof address), "describing the product");
    };
    setScale(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, "scale_b");
    setScale(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, "scale_a");
  }
  layoutA_ = layout(spec, *product.a);
  layoutB_ = layout(spec, *product.b);
  layoutC_ = layout(spec, *product.c);

  cublasLtMatmulPreference_t made = nullptr;
  api_.check(api_.preferenceCreate(&made), "describing the search");
  const OwnedLt<cublasLtMatmulPreference_t> preference(made);
  api_.check(
      api_.preferenceSet(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace),
      "describing the search");
  for (const auto& [which, address] : {std::pair<cublasLtMatmulPreferenceAttributes_t, const void*>{
                                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, b_},
                                       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, a_},
                                       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, c_},
                                       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, c_}}) {
    const std::uint32_t alignment = alignmentOf(address);
    api_.check(api_.preferenceSet(made, which, &alignment, sizeof alignment), "describing the search");
  }
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  const cublasStatus_t searched = api_.getHeuristic(handle, desc, layoutB_.get(), layoutA_.get(),
                                                    layoutC_.get(), layoutC_.get(), made, 1, &result, &found);
  if (searched != CUBLAS_STATUS_SUCCESS || found == 0)
    throw NotSupported(
        fmt::format("{}: cuBLASLt has no algorithm for m={}, n={}, k={} in {} ({})", spec.label, product.m,
                    product.n, product.k, nameOf(product.a->dtype), api_.getStatusName(searched)),
        "Choose another implementation, dtype or shape.");
  algorithm_ = result.algo;
  workspace_ = workspace ? std::move(workspace) : std::make_shared<CudaMemory>(result.workspaceSize);

  // The kernel's code is loaded by its first launch. Only c is written, which every call overwrites whole.
  issue();
  context_.drain();
}

// A part of a tensor's memory, which outlives it.
class MemoryPart final : public DeviceMemory {
 public:
  MemoryPart(const DeviceMemory& whole, std::int64_t first, std::int64_t elements, DType dtype)
      : address_(static_cast<std::byte*>(whole.address()) +
                 first * static_cast<std::int64_t>(bytesOf(dtype))),
        bytes_(static_cast<std::size_t>(elements) * bytesOf(dtype)) {}
  std::size_t bytes() const override { return bytes_; }
  void* address() const override { return address_; }

 private:
  void* address_;
  std::size_t bytes_;
};

// One product after the other, as a framework without a grouped kernel multiplies experts.
class GroupedLoop final : public Call {
 public:
  GroupedLoop(CudaContext& context, const CallSpec& spec) {
    const GroupedProduct grouped = groupedProductOf(context, spec);
    const auto workspace = std::make_shared<CudaMemory>(kWorkspace);
    for (const GroupedProduct::Group& group : grouped.groups) {
      const std::int64_t n = grouped.n, k = grouped.k, rows = group.rows;
      MemoryPart a(*grouped.a->memory, group.firstRow * k, rows * k, grouped.a->dtype);
      MemoryPart w(*grouped.w->memory, group.index * n * k, n * k, grouped.w->dtype);
      MemoryPart c(*grouped.c->memory, group.firstRow * n, rows * n, grouped.c->dtype);
      const auto part = [](const char* name, const TensorArg& of, std::int64_t height, std::int64_t width,
                           MemoryPart& memory) {
        return TensorArg{name, of.dtype, {height, width}, &memory};
      };
      CallSpec one;
      one.label = fmt::format("group {} of {}", group.index, spec.label);
      one.tensors = {part("a", *grouped.a, rows, k, a), part("b", *grouped.w, n, k, w),
                     part("c", *grouped.c, rows, n, c)};
      for (const auto& [name, value] :
           {std::pair<const char*, std::int64_t>{"m", rows}, {"n", n}, {"k", k}, {"trans_b", 1}})
        one.scalars[name] = {.floating = false, .integer = value, .real = 0};
      products_.push_back(std::make_unique<GemmCall>(context, one, productOf(one, false, false), workspace));
    }
  }
  void issue() override {
    for (const auto& product : products_) product->issue();
  }

 private:
  std::vector<std::unique_ptr<GemmCall>> products_;
};

}  // namespace

std::unique_ptr<Call> prepareGroupedCublasLt(CudaContext& context, const CallSpec& spec) {
  return std::make_unique<GroupedLoop>(context, spec);
}

std::unique_ptr<Call> prepareCublasLt(CudaContext& context, const CallSpec& spec, CublasLtProduct kind) {
  const Product product = productOf(spec, kind == CublasLtProduct::Batched, kind == CublasLtProduct::Fp8);
  return std::make_unique<GemmCall>(context, spec, product);
}

std::string describeCublasLt() {
  const CublasLtApi& api = CublasLtApi::get();
  const std::size_t version = api.getVersion();
  // CUBLAS_VERSION counts 130002 as 13.0.2 (and 120803 as 12.8.3).
  return fmt::format("{}.{}.{}, {}", version / 10000, version / 100 % 100, version % 100, api.library.path());
}

}  // namespace opscope::cuda
