// SPDX-License-Identifier: Apache-2.0
#include "cuda/cub_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "cuda/cub/opscope_cub.h"
#include "cuda/cuda_check.h"
#include "cuda/cuda_memory.h"
#include "cuda/kernel_arguments.h"
#include "cuda/library.h"
#include "cuda/toolkit_paths.h"
#include "device/module.h"

namespace opscope::cuda {
namespace {

struct CubApi {
  Library library;
  decltype(&opscope_cub_version) version = nullptr;
  OpscopeCubFunction* sum = nullptr;
  OpscopeCubFunction* max = nullptr;
  OpscopeCubFunction* argmax = nullptr;
  OpscopeCubFunction* cumsum = nullptr;
  decltype(&opscope_cub_sort) sort = nullptr;
  decltype(&opscope_cub_topk) topk = nullptr;

  static const CubApi& get() {
    static const CubApi api = load();  // tried again next time when it throws
    return api;
  }

 private:
  static CubApi load() {
    constexpr const char* kRemedy = "Build Opscope where nvcc is: it compiles the module with CUB.";
    CubApi api;
    // Beside the CUDA module; for tests, which have it inside, where modules are.
    std::vector<std::filesystem::path> folders = libraryFolders();
    for (const auto& folder : moduleFolders()) folders.push_back(folder);
    api.library = Library::open({"libopscope_cub.so"}, folders);
    if (!api.library)
      throw NotSupported(api.library.problem().empty()
                             ? "CUB's module (libopscope_cub.so) is not part of this installation"
                             : fmt::format("CUB's module could not be loaded: {}", api.library.problem()),
                         kRemedy);
    decltype(&opscope_cub_interface) interface = nullptr;
    if (!api.library.find("opscope_cub_interface", interface) || interface() != OPSCOPE_CUB_INTERFACE ||
        !api.library.find("opscope_cub_version", api.version) ||
        !api.library.find("opscope_cub_sum", api.sum) || !api.library.find("opscope_cub_max", api.max) ||
        !api.library.find("opscope_cub_argmax", api.argmax) ||
        !api.library.find("opscope_cub_cumsum", api.cumsum) ||
        !api.library.find("opscope_cub_sort", api.sort) || !api.library.find("opscope_cub_topk", api.topk))
      throw NotSupported(fmt::format("CUB's module {} is of another version of Opscope", api.library.path()),
                         kRemedy);
    return api;
  }
};

int typeOf(const CallSpec& spec, DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return OPSCOPE_CUB_FLOAT32;
    case DType::Float16:
      return OPSCOPE_CUB_FLOAT16;
    case DType::BFloat16:
      return OPSCOPE_CUB_BFLOAT16;
    default:
      throw NotSupported(fmt::format("{}: CUB is not called for {} here", spec.label, nameOf(dtype)),
                         "Choose float32, float16 or bfloat16.");
  }
}

enum class Kind : std::uint8_t { Sum, Max, ArgMax, CumSum, Sort, TopK };

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> known{{"cub.sum", Kind::Sum},       {"cub.max", Kind::Max},
                                                 {"cub.argmax", Kind::ArgMax}, {"cub.cumsum", Kind::CumSum},
                                                 {"cub.sort", Kind::Sort},     {"cub.topk", Kind::TopK}};
  return known;
}

class CubCall final : public Call {
 public:
  CubCall(CudaContext& context, const CallSpec& spec, Kind kind)
      : context_(context), api_(CubApi::get()), kind_(kind), what_("running CUB for " + spec.label) {
    const TensorArg& x = tensorNamed(spec, "x");
    const TensorArg& y = tensorNamed(spec, kind == Kind::TopK ? "indices" : "y");
    requireFitting(spec, x, y);
    rows_ = {.dtype = typeOf(spec, x.dtype),
             .rows = x.shape[0],
             .columns = x.shape[1],
             .x = x.memory->address(),
             .y = y.memory->address(),
             .temp = nullptr,
             .temp_bytes = &scratchBytes_,
             .stream = context.main()};
    if (kind == Kind::TopK) k_ = y.shape[1];
    if (kind == Kind::Sort) {
      const TensorArg& indices = tensorNamed(spec, "indices");
      if (indices.shape != x.shape || indices.dtype != DType::Int32)
        throw BadInput(fmt::format("{}: CUB's sort needs 'indices' of x's shape in int32", spec.label));
      indices_ = static_cast<int*>(indices.memory->address());
    }
    issue();  // with no scratch memory it only says how much is needed
    scratch_ = std::make_unique<CudaMemory>(std::max<std::size_t>(scratchBytes_, 1));
    rows_.temp = scratch_->address();
    // The kernels' code is loaded by their first launch. Only the output is written, which every call
    // overwrites whole.
    issue();
    context.drain();
  }

  void issue() override {
    rows_.stream = context_.main();
    check(static_cast<cudaError_t>(run()), what_);
  }

 private:
  int run() const {
    switch (kind_) {
      case Kind::Sum:
        return api_.sum(&rows_);
      case Kind::Max:
        return api_.max(&rows_);
      case Kind::ArgMax:
        return api_.argmax(&rows_);
      case Kind::CumSum:
        return api_.cumsum(&rows_);
      case Kind::Sort:
        return api_.sort(&rows_, indices_);
      case Kind::TopK:
        return api_.topk(&rows_, k_);
    }
    throw InternalError("An algorithm of CUB that is none");
  }

  void requireFitting(const CallSpec& spec, const TensorArg& x, const TensorArg& y) const {
    const bool byRow = kind_ == Kind::Sum || kind_ == Kind::Max || kind_ == Kind::ArgMax;
    const bool fits = x.shape.size() == 2 && y.shape.size() == (byRow ? 1 : 2) && y.shape[0] == x.shape[0] &&
                      ((kind_ != Kind::CumSum && kind_ != Kind::Sort) || y.shape == x.shape) &&
                      (kind_ != Kind::TopK || y.shape[1] <= x.shape[1]);
    const DType wanted = kind_ == Kind::ArgMax ? DType::Int64 : kind_ == Kind::TopK ? DType::Int32 : x.dtype;
    if (!fits || y.dtype != wanted)
      throw BadInput(fmt::format("{}: '{}' [{}] in {} does not fit x [{}] for CUB", spec.label, y.name,
                                 fmt::join(y.shape, ", "), nameOf(y.dtype), fmt::join(x.shape, ", ")));
    if (x.shape[0] > std::numeric_limits<int>::max() / x.shape[1])
      throw NotSupported(fmt::format("{}: CUB is called for fewer than 2^31 elements here", spec.label),
                         "Choose another implementation or shape.");
    if ((kind_ == Kind::TopK || kind_ == Kind::Sort) && x.dtype == DType::Float16)
      throw NotSupported(fmt::format("{}: CUB's sort is compiled for float32 and bfloat16 only", spec.label),
                         "Choose another dtype.");
  }

  CudaContext& context_;
  const CubApi& api_;
  Kind kind_;
  std::string what_;
  OpscopeCubRows rows_{};
  long long k_ = 0;
  int* indices_ = nullptr;
  std::size_t scratchBytes_ = 0;
  std::unique_ptr<CudaMemory> scratch_;
};

}  // namespace

bool isCubCall(const std::string& function) {
  return kinds().contains(function);
}

std::unique_ptr<Call> prepareCub(CudaContext& context, const CallSpec& spec, const std::string& function) {
  return std::make_unique<CubCall>(context, spec, kinds().at(function));
}

std::string describeCub() {
  const CubApi& api = CubApi::get();
  const int version = api.version();  // 300001 is 3.0.1, and 200801 was 2.8.1
  return fmt::format("{}.{}.{}, {}", version / 100000, version / 100 % 1000, version % 100,
                     api.library.path());
}

}  // namespace opscope::cuda
