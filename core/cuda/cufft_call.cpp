// SPDX-License-Identifier: Apache-2.0
#include "cuda/cufft_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "base/error.h"
#include "cuda/kernel_arguments.h"
#include "cuda/library.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

// What is used of cuFFT's interface, which has been the same since CUDA 5. Its header comes with a package of
// its own, which building shall not need.
using Plan = int;
enum class Result : int {
  Success = 0,
  AllocFailed = 2,
  InternalError = 5,
  ExecFailed = 6,
  InvalidSize = 8,
  NotSupported = 16
};
constexpr int kComplexToComplex = 0x29;
constexpr int kForward = -1;

/// The functions of cuFFT used here; opened on first use.
struct CufftApi {
  Library library;
  Result (*planMany)(Plan* plan, int rank, int* sizes, int* inEmbed, int inStride, int inDistance,
                     int* outEmbed, int outStride, int outDistance, int type, int batch) = nullptr;
  Result (*setStream)(Plan plan, cudaStream_t stream) = nullptr;
  Result (*execC2C)(Plan plan, float2* from, float2* to, int direction) = nullptr;
  Result (*destroy)(Plan plan) = nullptr;

  static const CufftApi& get() {
    static const CufftApi api = load();  // tried again next time when it throws
    return api;
  }

 private:
  static CufftApi load() {
    // cuFFT counts its versions one behind the toolkit's.
    const std::vector<std::string> names{"libcufft.so.12", "libcufft.so.11"};
    CufftApi api;
    api.library = Library::open(names, libraryFolders());
    if (!api.library)
      throw LibraryMissing(api.library.problem().empty()
                               ? fmt::format("cuFFT ({}) was not found", fmt::join(names, ", "))
                               : fmt::format("cuFFT could not be loaded: {}", api.library.problem()),
                           "Install cuFFT (libcufft) or set CUDA_HOME to a CUDA toolkit.");
    if (!api.library.find("cufftPlanMany", api.planMany) ||
        !api.library.find("cufftSetStream", api.setStream) ||
        !api.library.find("cufftExecC2C", api.execC2C) || !api.library.find("cufftDestroy", api.destroy))
      throw LibraryMissing(fmt::format("cuFFT in {} is too old", api.library.path()));
    return api;
  }
};

void checkFft(Result result, std::string_view doing) {
  if (result == Result::Success) [[likely]]
    return;
  const std::string message = fmt::format("cuFFT failed while {}: error {}", doing, static_cast<int>(result));
  if (result == Result::AllocFailed) throw OutOfMemory(message, "Choose a smaller workload.");
  if (result == Result::InvalidSize || result == Result::NotSupported)
    throw NotSupported(message, "Choose another implementation or shape.");
  if (result == Result::ExecFailed || result == Result::InternalError)
    throw DeviceLost(message, "This process may not be able to use the GPU any more; start it again.");
  throw InternalError(message);
}

class FftCall final : public Call {
 public:
  FftCall(CudaContext& context, const CallSpec& spec)
      : api_(CufftApi::get()), what_("running cufft.c2c of " + spec.label) {
    const TensorArg &x = tensorNamed(spec, "x"), &y = tensorNamed(spec, "y");
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    if (x.shape.size() != 3 || x.shape[2] != 2 || x.shape != y.shape || x.dtype != DType::Float32 ||
        y.dtype != DType::Float32 || x.shape[0] > kMost || x.shape[1] > kMost)
      throw BadInput(fmt::format("{}: cufft.c2c needs x and y as [M, N, 2] in float32, not [{}]", spec.label,
                                 fmt::join(x.shape, ", ")));
    from_ = static_cast<float2*>(x.memory->address());
    to_ = static_cast<float2*>(y.memory->address());
    int points = static_cast<int>(x.shape[1]);
    checkFft(api_.planMany(&plan_, 1, &points, nullptr, 1, points, nullptr, 1, points, kComplexToComplex,
                           static_cast<int>(x.shape[0])),
             "planning");
    try {
      checkFft(api_.setStream(plan_, context.main()), "planning");
      // The kernels' code is loaded by their first launch. Only y is written, which every call overwrites
      // whole.
      issue();
      context.drain();
    } catch (...) {
      api_.destroy(plan_);
      throw;
    }
  }
  ~FftCall() override { api_.destroy(plan_); }
  void issue() override { checkFft(api_.execC2C(plan_, from_, to_, kForward), what_); }

 private:
  const CufftApi& api_;
  std::string what_;
  Plan plan_ = 0;
  float2* from_ = nullptr;
  float2* to_ = nullptr;
};

}  // namespace

std::unique_ptr<Call> prepareCufft(CudaContext& context, const CallSpec& spec) {
  return std::make_unique<FftCall>(context, spec);
}

}  // namespace opscope::cuda
