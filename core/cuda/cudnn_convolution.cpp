// SPDX-License-Identifier: Apache-2.0
#include "cuda/cudnn_convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "base/error.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_timer.h"
#include "cuda/cudnn_graph.h"

namespace opscope::cuda::cudnn {
namespace {

constexpr std::int64_t kX = 1, kW = 2, kY = 3;
constexpr std::int64_t kMostWorkspace = std::int64_t{256} << 20;
constexpr std::int64_t kMostOfAMode =
    16;  // the lists of the heuristics begin with what they expect to be quick

Node tensorNode(const CallSpec& spec, const TensorArg& tensor, std::int64_t id) {
  for (const std::int64_t size : tensor.shape) sizeOf(spec, size);
  std::array<std::int64_t, 4> strides{0, 0, 0, 1};
  for (std::size_t dim = 3; dim > 0; --dim) strides[dim - 1] = strides[dim] * tensor.shape[dim];
  constexpr std::int64_t kAlignment = 16;  // of every tensor's memory, and what the widest loads need
  Node node(NodeKind::Tensor);
  node.set(Attribute::TensorType, ValueType::DataType, typeOf(spec, tensor.dtype))
      .set(Attribute::TensorDimensions, ValueType::Int64, std::span<const std::int64_t>(tensor.shape))
      .set(Attribute::TensorStrides, ValueType::Int64, std::span<const std::int64_t>(strides))
      .set(Attribute::TensorId, ValueType::Int64, id)
      .set(Attribute::TensorAlignment, ValueType::Int64, kAlignment)
      .finish("describing a tensor of " + spec.label);
  return node;
}

Node graphOf(const CallSpec& spec, Handle handle) {
  const auto both = [&](const char* name) {
    const std::int64_t value = wholeNumber(spec, name);
    return std::array{value, value};
  };
  const auto stride = both("stride"), padding = both("padding"), dilation = both("dilation");
  constexpr std::int64_t kSpatial = 2;
  Node how(NodeKind::Convolution);
  how.set(Attribute::ConvolutionType, ValueType::DataType, DataType::Float)
      .set(Attribute::ConvolutionModeOf, ValueType::ConvolutionMode, ConvolutionMode::CrossCorrelation)
      .set(Attribute::ConvolutionSpatialDims, ValueType::Int64, kSpatial)
      .set(Attribute::ConvolutionStrides, ValueType::Int64, std::span<const std::int64_t>(stride))
      .set(Attribute::ConvolutionPrePaddings, ValueType::Int64, std::span<const std::int64_t>(padding))
      .set(Attribute::ConvolutionPostPaddings, ValueType::Int64, std::span<const std::int64_t>(padding))
      .set(Attribute::ConvolutionDilations, ValueType::Int64, std::span<const std::int64_t>(dilation))
      .finish("describing the convolution of " + spec.label);

  constexpr float kOne = 1, kZero = 0;
  Node forward(NodeKind::ConvolutionForward);
  forward.set(Attribute::ForwardX, tensorNode(spec, tensorOf(spec, "x", 4), kX))
      .set(Attribute::ForwardW, tensorNode(spec, tensorOf(spec, "w", 4), kW))
      .set(Attribute::ForwardY, tensorNode(spec, tensorOf(spec, "y", 4), kY))
      .set(Attribute::ForwardConvolution, how)
      .set(Attribute::ForwardAlpha, ValueType::Float, kOne)
      .set(Attribute::ForwardBeta, ValueType::Float, kZero)
      .finish("describing the convolution of " + spec.label);

  Node graph(NodeKind::OperationGraph);
  graph.set(Attribute::GraphHandle, ValueType::LibraryHandle, handle)
      .set(Attribute::GraphOperations, forward)
      .finish("describing the convolution of " + spec.label);
  return graph;
}

std::vector<Node> configsOf(const Node& graph, HeuristicsMode mode) {
  Node heuristics(NodeKind::EngineHeuristics);
  heuristics.set(Attribute::HeuristicsGraph, graph)
      .set(Attribute::HeuristicsMode, ValueType::HeuristicsMode, mode);
  // A mode may know nothing of a graph that the other one has engines for.
  if (heuristics.tryToFinish() != kSuccess) return {};
  return heuristics.nodes(Attribute::HeuristicsResults, NodeKind::EngineConfig, kMostOfAMode);
}

bool roundsMoreThanAsked(const Node& config, DType dtype) {
  const auto notes = config.node(Attribute::ConfigEngine, NodeKind::Engine).notes();
  return std::ranges::any_of(notes, [&](NumericalNote note) {
    return note == NumericalNote::DownConvertInputs || note == NumericalNote::ReducedPrecisionReduction ||
           (note == NumericalNote::TensorCore && dtype == DType::Float32);
  });
}

// Some plans are programs that cuDNN compiles. None is unloaded before the process ends: CUPTI gives a kernel
// that gets the handle of one that is gone that one's name.
void keepLoaded(const Node& plan) {
  static std::mutex mutex;
  static auto& plans = *new std::vector<Node>;  // outlives the driver
  const std::lock_guard lock(mutex);
  plans.push_back(plan);
}

std::optional<Run> runOf(const Api& api, const CallSpec& spec, Handle handle, const Node& config) {
  Node plan(NodeKind::ExecutionPlan);
  plan.set(Attribute::PlanHandle, ValueType::LibraryHandle, handle).set(Attribute::PlanConfig, config);
  if (plan.tryToFinish() != kSuccess) return std::nullopt;
  keepLoaded(plan);
  const std::int64_t bytes = plan.integer(Attribute::PlanWorkspace);
  if (bytes > kMostWorkspace) return std::nullopt;
  const auto workspace = std::make_shared<CudaMemory>(static_cast<std::size_t>(bytes));
  const auto address = [&](const char* name) { return tensorOf(spec, name, 4).memory->address(); };
  const std::array ids{kX, kW, kY};
  const std::array pointers{address("x"), address("w"), address("y")};
  Node pack(NodeKind::VariantPack);
  pack.set(Attribute::PackIds, ValueType::Int64, std::span<const std::int64_t>(ids))
      .set(Attribute::PackPointers, ValueType::Pointer, std::span<void* const>(pointers))
      .set(Attribute::PackWorkspace, ValueType::Pointer, workspace->address())
      .finish("describing the memory of " + spec.label);
  return [&api, plan, pack, workspace](Handle h) { return api.execute(h, plan.get(), pack.get()); };
}

// The shortest of a few calls after the first ones, which load code; nullopt when it does not run.
std::optional<Ns> quickestOf(const Api& api, const Run& run, Handle handle) {
  constexpr int kFirst = 2, kTimed = 5;
  cudaStream_t stream = nullptr;
  api.check(api.getStream(handle, &stream), "reading its stream");
  Ns quickest = std::numeric_limits<Ns>::max();
  for (int i = 0; i < kFirst + kTimed; ++i) {
    CudaTimer timer(stream);
    timer.start();
    if (run(handle) != kSuccess) return std::nullopt;
    timer.stop();
    if (const Ns took = timer.elapsed(); i >= kFirst) quickest = std::min(quickest, took);
  }
  return quickest;
}

}  // namespace

Run convolution(const Api& api, const CallSpec& spec, Handle handle) {
  const DType dtype = tensorOf(spec, "x", 4).dtype;
  const Node graph = graphOf(spec, handle);
  std::optional<Run> best;
  Ns bestTime = std::numeric_limits<Ns>::max();
  // What the heuristics put first is not always the quickest, and the fallback has plain kernels that they
  // leave out.
  for (const HeuristicsMode mode : {HeuristicsMode::A, HeuristicsMode::Fallback})
    for (const Node& config : configsOf(graph, mode)) {
      if (roundsMoreThanAsked(config, dtype)) continue;
      std::optional<Run> run = runOf(api, spec, handle, config);
      if (!run) continue;
      const std::optional<Ns> time = quickestOf(api, *run, handle);
      if (!time || *time >= bestTime) continue;
      best = std::move(run);
      bestTime = *time;
    }
  if (!best)
    throw NotSupported(
        fmt::format("{}: cuDNN has no kernel for this convolution in {}", spec.label, nameOf(dtype)),
        "Choose another implementation, dtype or shape.");
  return *best;
}

}  // namespace opscope::cuda::cudnn
