// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/ns.h"
#include "cuda/cuda_context.h"
#include "cuda/kernel_arguments.h"
#include "cuda/program_loader.h"
#include "device/call.h"

namespace opscope::cuda {

/// The steps of a kernel program, issued one by one. Streams beside the main one start after what the main
/// one did before the call and are joined at its end, so that the call is one unit of the main stream.
class KernelCall final : public Call {
 public:
  /// Throws CompileFailed, LibraryMissing, BadInput (a launch or an argument that does not fit), OutOfMemory.
  KernelCall(CudaContext& context, const CallSpec& spec, const KernelProgram& program);
  void issue() override;

 private:
  struct Step {
    KernelStep::Kind kind = KernelStep::Kind::Kernel;
    std::string what;  ///< completes "while ..." in errors
    cudaStream_t stream = nullptr;
    cudaLaunchConfig_t config{};
    std::vector<cudaLaunchAttribute> attributes;  ///< config points to them
    cudaKernel_t kernel = nullptr;
    std::optional<KernelArguments> arguments;
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
    Ns hostSleep = 0;
    bool otherThread = false;
    bool synchronise = false;
  };
  struct Beside {
    cudaStream_t stream = nullptr;
    Event done;
  };

  Step kernelStep(const CallSpec& spec, const KernelStep& from, std::uint32_t number);
  Step copyStep(const CallSpec& spec, const KernelStep& from) const;
  Step fillStep(const CallSpec& spec, const KernelStep& from) const;
  void requireLaunchable(const CallSpec& spec, const KernelStep& step,
                         const cudaFuncAttributes& attributes) const;
  cudaError_t launch(Step& step) const;
  void issueStep(Step& step);

  CudaContext& context_;
  std::optional<LoadedProgram> program_;
  std::vector<Step> steps_;
  Event begun_;
  std::vector<Beside> beside_;
};

/// Prepares a kernel program: its steps one by one, or captured into a graph.
std::unique_ptr<Call> prepareKernels(CudaContext& context, const CallSpec& spec,
                                     const KernelProgram& program);

}  // namespace opscope::cuda
