// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "cuda/graph_capture.h"
#include "cuda/kernel_call.h"

namespace opscope::cuda {
namespace {

/// A kernel program captured once; the call is one graph launch.
class GraphCall final : public Call {
 public:
  GraphCall(CudaContext& context, const CallSpec& spec, const KernelProgram& program)
      : context_(context), steps_(context, spec, program), what_("launching the graph of " + spec.label) {
    exec_ = captureGraph(context, spec.label, [this] { steps_.issue(); });
  }

  void issue() override {
    // CUDA captures no graph launch, but what the graph is made of can become part of another one.
    if (context_.capturing()) return steps_.issue();
    check(cudaGraphLaunch(exec_.get(), context_.main()), what_);
  }

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
