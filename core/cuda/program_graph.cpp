// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "cuda/kernel_call.h"

namespace opscope::cuda {
namespace {

/// A kernel program captured once; the call is one graph launch.
class GraphCall final : public Call {
 public:
  GraphCall(CudaContext& context, const CallSpec& spec, const KernelProgram& program)
      : context_(context), steps_(context, spec, program), what_("launching the graph of " + spec.label) {
    cudaGraph_t captured = nullptr;
    // Thread-local: what other threads of the program do with CUDA meanwhile is not our capture's business.
    check(cudaStreamBeginCapture(context.main(), cudaStreamCaptureModeThreadLocal),
          "capturing " + spec.label);
    try {
      steps_.issue();
    } catch (...) {
      cudaStreamEndCapture(context.main(), &captured);
      const Graph discarded(captured);
      cudaGetLastError();
      throw;
    }
    check(cudaStreamEndCapture(context.main(), &captured), "capturing " + spec.label);
    const Graph graph(captured);
    cudaGraphExec_t exec = nullptr;
    check(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiating the graph of " + spec.label);
    exec_.reset(exec);
    check(cudaGraphUpload(exec, context.main()), "uploading the graph of " + spec.label);
    context.drain();
  }

  void issue() override { check(cudaGraphLaunch(exec_.get(), context_.main()), what_); }

 private:
  CudaContext& context_;
  KernelCall steps_;  // owns the code and the arguments that the graph refers to
  std::string what_;
  GraphExec exec_;
};

void requireCapturable(const CallSpec& spec, const KernelProgram& program) {
  const auto refuse = [&](const char* what) {
    throw NotSupported(fmt::format("{} cannot become a graph: one of its steps {}", spec.label, what),
                       "Measure it without graph: true, or take the step out.");
  };
  for (const KernelStep& step : program.steps) {
    if (step.hostSleepNs > 0) refuse("makes the host sleep, and a graph has no host");
    if (step.synchronise) refuse("waits for the stream, which ends a capture");
    if (step.otherThread) refuse("is launched by another thread, and a graph has one launch");
  }
}

}  // namespace

std::unique_ptr<Call> prepareKernels(CudaContext& context, const CallSpec& spec,
                                     const KernelProgram& program) {
  if (!program.graph) return std::make_unique<KernelCall>(context, spec, program);
  requireCapturable(spec, program);
  return std::make_unique<GraphCall>(context, spec, program);
}

}  // namespace opscope::cuda
