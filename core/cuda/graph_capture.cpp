// SPDX-License-Identifier: Apache-2.0
#include "cuda/graph_capture.h"

#include <fmt/format.h>

#include "base/error.h"

namespace opscope::cuda {
namespace {

class Replay final : public Call {
 public:
  Replay(CudaContext& context, GraphExec exec) : context_(context), exec_(std::move(exec)) {}
  void issue() override { check(cudaGraphLaunch(exec_.get(), context_.main()), "launching a captured call"); }

 private:
  CudaContext& context_;
  GraphExec exec_;
};

class Capturing {
 public:
  explicit Capturing(CudaContext& context) : context_(context) { context_.setCapturing(true); }
  ~Capturing() { context_.setCapturing(false); }
  Capturing(const Capturing&) = delete;
  Capturing& operator=(const Capturing&) = delete;

 private:
  CudaContext& context_;
};

}  // namespace

GraphExec captureGraph(CudaContext& context, const std::string& label, const std::function<void()>& issue) {
  cudaGraph_t captured = nullptr;
  // Thread-local: what other threads of the program do with CUDA meanwhile is not our capture's business.
  check(cudaStreamBeginCapture(context.main(), cudaStreamCaptureModeThreadLocal), "capturing " + label);
  try {
    const Capturing capturing(context);
    issue();
  } catch (...) {
    cudaStreamEndCapture(context.main(), &captured);
    const Graph discarded(captured);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(context.main(), &captured), "capturing " + label);
  const Graph graph(captured);
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiating the graph of " + label);
  GraphExec owned(exec);
  check(cudaGraphUpload(exec, context.main()), "uploading the graph of " + label);
  context.drain();
  return owned;
}

std::unique_ptr<Call> captureCalls(CudaContext& context, Call& call, std::uint32_t times) {
  try {
    return std::make_unique<Replay>(context, captureGraph(context, "the call", [&] {
                                      for (std::uint32_t i = 0; i < times; ++i) call.issue();
                                    }));
  } catch (const DeviceLost&) {
    throw;
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    throw NotSupported(fmt::format("The call cannot be captured into a graph: {}", error.info().message),
                       error.info().remedy);
  }
}

}  // namespace opscope::cuda
