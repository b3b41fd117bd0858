// SPDX-License-Identifier: Apache-2.0
#include "cuda/cudnn_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include "base/error.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_timer.h"
#include "cuda/cudnn_api.h"
#include "cuda/kernel_arguments.h"

namespace opscope::cuda {
namespace {

using cudnn::Api;
using Described = std::shared_ptr<void>;

Described created(const Api& api, cudnn::Status (*create)(cudnn::Descriptor*),
                  cudnn::Status (*destroy)(cudnn::Descriptor)) {
  cudnn::Descriptor descriptor = nullptr;
  api.check(create(&descriptor), "describing the call");
  return {descriptor, destroy};
}

cudnn::DataType typeOf(const CallSpec& spec, DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return cudnn::DataType::Float;
    case DType::Float16:
      return cudnn::DataType::Half;
    case DType::BFloat16:
      return cudnn::DataType::BFloat16;
    default:
      throw NotSupported(fmt::format("{}: cuDNN is not called for {} here", spec.label, nameOf(dtype)),
                         "Choose float32, float16 or bfloat16.");
  }
}

int sizeOf(const CallSpec& spec, std::int64_t size) {
  if (size < 0 || size > std::numeric_limits<int>::max())
    throw NotSupported(fmt::format("{}: cuDNN takes sizes of at most 31 bits, not {}", spec.label, size),
                       "Choose another implementation or shape.");
  return static_cast<int>(size);
}

int wholeNumber(const CallSpec& spec, const char* name) {
  const auto found = spec.scalars.find(name);
  if (found == spec.scalars.end() || found->second.floating)
    throw BadInput(fmt::format("{}: cuDNN needs a whole number '{}'", spec.label, name));
  return sizeOf(spec, found->second.integer);
}

const TensorArg& tensorOf(const CallSpec& spec, const char* name, std::size_t dims) {
  const TensorArg& tensor = tensorNamed(spec, name);
  if (tensor.shape.size() != dims)
    throw BadInput(fmt::format("{}: '{}' is [{}], cuDNN needs {} dimensions", spec.label, name,
                               fmt::join(tensor.shape, ", "), dims));
  return tensor;
}

void requireShape(const CallSpec& spec, const TensorArg& tensor, const std::vector<std::int64_t>& shape) {
  if (tensor.shape != shape)
    throw BadInput(fmt::format("{}: '{}' is [{}], cuDNN needs [{}]", spec.label, tensor.name,
                               fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
}

Described described(const Api& api, const CallSpec& spec, DType dtype,
                    const std::array<std::int64_t, 4>& shape) {
  Described tensor = created(api, api.createTensor, api.destroyTensor);
  api.check(api.setTensor(tensor.get(), cudnn::Format::Nchw, typeOf(spec, dtype), sizeOf(spec, shape[0]),
                          sizeOf(spec, shape[1]), sizeOf(spec, shape[2]), sizeOf(spec, shape[3])),
            "describing the call");
  return tensor;
}

constexpr float kOne = 1;
constexpr float kZero = 0;

/// A prepared operation: `run` issues it by the handle, which is set to the call's stream.
class CudnnCall final : public Call {
 public:
  using Run = std::function<cudnn::Status(cudnn::Handle)>;
  /// `prepare` makes `run`; it may use the handle, for searching.
  CudnnCall(CudaContext& context, const CallSpec& spec, const std::function<Run(cudnn::Handle)>& prepare)
      : context_(context), api_(Api::get()), what_("running cuDNN for " + spec.label) {
    cudnn::Handle handle = nullptr;
    api_.check(api_.create(&handle), "starting");
    handle_ = std::shared_ptr<cudnn::OpaqueHandle>(handle, api_.destroy);
    useStream();
    run_ = prepare(handle);
    // The kernels' code is loaded by their first launch. Only outputs are written, which every call
    // overwrites whole.
    issue();
    context.drain();
  }
  void issue() override {
    useStream();
    api_.check(run_(handle_.get()), what_);
  }

 private:
  void useStream() {
    if (stream_ == context_.main()) return;
    stream_ = context_.main();
    api_.check(api_.setStream(handle_.get(), stream_), what_);
  }

  CudaContext& context_;
  const Api& api_;
  std::string what_;
  std::shared_ptr<cudnn::OpaqueHandle> handle_;
  Run run_;  ///< holds descriptors and workspace: goes before the handle
  cudaStream_t stream_ = nullptr;
};

// The shortest of a few calls after the first ones, which load code.
Ns quickestOf(const Api& api, const CudnnCall::Run& run, cudnn::Handle handle) {
  constexpr int kFirst = 2, kTimed = 5;
  cudaStream_t stream = nullptr;
  api.check(api.getStream(handle, &stream), "reading its stream");
  Ns quickest = std::numeric_limits<Ns>::max();
  for (int i = 0; i < kFirst + kTimed; ++i) {
    CudaTimer timer(stream);
    timer.start();
    if (run(handle) != cudnn::kSuccess) return std::numeric_limits<Ns>::max();
    timer.stop();
    if (const Ns took = timer.elapsed(); i >= kFirst) quickest = std::min(quickest, took);
  }
  return quickest;
}

CudnnCall::Run convolution(const Api& api, const CallSpec& spec, cudnn::Handle handle) {
  const TensorArg &x = tensorOf(spec, "x", 4), &w = tensorOf(spec, "w", 4), &y = tensorOf(spec, "y", 4);
  const auto shapeOf = [](const TensorArg& t) {
    return std::array{t.shape[0], t.shape[1], t.shape[2], t.shape[3]};
  };
  const Described xs = described(api, spec, x.dtype, shapeOf(x)),
                  ys = described(api, spec, y.dtype, shapeOf(y));
  const Described ws = created(api, api.createFilter, api.destroyFilter);
  api.check(api.setFilter(ws.get(), typeOf(spec, w.dtype), cudnn::Format::Nchw, sizeOf(spec, w.shape[0]),
                          sizeOf(spec, w.shape[1]), sizeOf(spec, w.shape[2]), sizeOf(spec, w.shape[3])),
            "describing the call");
  const Described how = created(api, api.createConvolution, api.destroyConvolution);
  const int padding = wholeNumber(spec, "padding"), stride = wholeNumber(spec, "stride"),
            dilation = wholeNumber(spec, "dilation");
  api.check(api.setConvolution(how.get(), padding, padding, stride, stride, dilation, dilation,
                               cudnn::ConvolutionMode::CrossCorrelation, cudnn::DataType::Float),
            "describing the convolution");
  const cudnn::MathType math =
      x.dtype == DType::Float32 ? cudnn::MathType::Default : cudnn::MathType::TensorOp;
  api.check(api.setConvolutionMath(how.get(), math), "describing the convolution");

  constexpr std::size_t kMostWorkspace = std::size_t{256} << 20;
  std::array<cudnn::ConvolutionTime, cudnn::kConvolutionTries> times{};
  int tried = 0;
  {
    const CudaMemory workspace(kMostWorkspace);
    api.check(api.findConvolution(handle, xs.get(), x.memory->address(), ws.get(), w.memory->address(),
                                  how.get(), ys.get(), y.memory->address(), cudnn::kConvolutionTries, &tried,
                                  times.data(), workspace.address(), workspace.bytes()),
              "looking for an algorithm for " + spec.label);
  }
  const auto runOf = [&](const cudnn::ConvolutionTime& way) -> CudnnCall::Run {
    const auto workspace = std::make_shared<CudaMemory>(way.workspace);
    return [=, &api, algorithm = way.algorithm, from = x.memory->address(), by = w.memory->address(),
            to = y.memory->address()](cudnn::Handle h) {
      return api.convolve(h, &kOne, xs.get(), from, ws.get(), by, how.get(), algorithm, workspace->address(),
                          workspace->bytes(), &kZero, ys.get(), to);
    };
  };
  // cuDNN's search runs each algorithm once, the loading of its code included: the order of its times differs
  // from search to search, by ten times and more.
  const cudnn::ConvolutionTime* best = nullptr;
  Ns bestTime = std::numeric_limits<Ns>::max();
  for (const cudnn::ConvolutionTime& way : std::span(times).first(static_cast<std::size_t>(tried))) {
    if (way.status != cudnn::kSuccess) continue;
    api.check(api.setConvolutionMath(how.get(), way.math), "describing the convolution");
    const Ns time = quickestOf(api, runOf(way), handle);
    if (time >= bestTime) continue;
    best = &way;
    bestTime = time;
  }
  if (best == nullptr)
    throw NotSupported(
        fmt::format("{}: cuDNN has no algorithm for this convolution in {}", spec.label, nameOf(x.dtype)),
        "Choose another implementation, dtype or shape.");
  api.check(api.setConvolutionMath(how.get(), best->math), "describing the convolution");
  return runOf(*best);
}

CudnnCall::Run maxPooling(const Api& api, const CallSpec& spec, cudnn::Handle) {
  const TensorArg &x = tensorOf(spec, "x", 3), &y = tensorOf(spec, "y", 3);
  const Described xs = described(api, spec, x.dtype, {x.shape[0], 1, x.shape[1], x.shape[2]});
  const Described ys = described(api, spec, y.dtype, {y.shape[0], 1, y.shape[1], y.shape[2]});
  const Described pooling = created(api, api.createPooling, api.destroyPooling);
  const int window = wholeNumber(spec, "window"), padding = wholeNumber(spec, "padding"),
            stride = wholeNumber(spec, "stride");
  api.check(api.setPooling(pooling.get(), cudnn::PoolingMode::Max, cudnn::NanPropagation::Propagate, window,
                           window, padding, padding, stride, stride),
            "describing the pooling");
  return [=, &api, from = x.memory->address(), to = y.memory->address()](cudnn::Handle h) {
    return api.pool(h, pooling.get(), &kOne, xs.get(), from, &kZero, ys.get(), to);
  };
}

CudnnCall::Run softmax(const Api& api, const CallSpec& spec, cudnn::SoftmaxAlgorithm algorithm) {
  const TensorArg &x = tensorOf(spec, "x", 2), &y = tensorOf(spec, "y", 2);
  requireShape(spec, y, x.shape);
  const Described rows = described(api, spec, x.dtype, {x.shape[0], x.shape[1], 1, 1});
  return [=, &api, from = x.memory->address(), to = y.memory->address()](cudnn::Handle h) {
    return api.softmax(h, algorithm, cudnn::SoftmaxMode::Instance, &kOne, rows.get(), from, &kZero,
                       rows.get(), to);
  };
}

CudnnCall::Run batchNorm(const Api& api, const CallSpec& spec, cudnn::Handle) {
  const TensorArg &x = tensorOf(spec, "x", 3), &y = tensorOf(spec, "y", 3);
  requireShape(spec, y, x.shape);
  for (const char* name : {"weight", "bias", "mean", "rstd"}) {
    const TensorArg& channels = tensorOf(spec, name, 1);
    requireShape(spec, channels, {x.shape[1]});
    if (channels.dtype != DType::Float32)
      throw BadInput(fmt::format("{}: cuDNN needs '{}' in float32", spec.label, name));
  }
  const auto eps = spec.scalars.find("eps");
  if (eps == spec.scalars.end() || !eps->second.floating)
    throw BadInput(fmt::format("{}: cuDNN needs a number 'eps'", spec.label));
  const Described image = described(api, spec, x.dtype, {x.shape[0], x.shape[1], x.shape[2], 1});
  const Described channels = described(api, spec, DType::Float32, {1, x.shape[1], 1, 1});
  const auto address = [&](const char* name) { return tensorNamed(spec, name).memory->address(); };
  return [=, &api, from = address("x"), to = address("y"), weight = address("weight"), bias = address("bias"),
          mean = address("mean"), rstd = address("rstd"), eps = eps->second.real](cudnn::Handle h) {
    return api.batchNorm(h, cudnn::BatchNormMode::Spatial, &kOne, &kZero, image.get(), from, image.get(), to,
                         channels.get(), weight, bias, 1.0, nullptr, nullptr, eps, mean, rstd);
  };
}

CudnnCall::Run reduction(const Api& api, const CallSpec& spec, cudnn::Handle handle, cudnn::ReduceOp op) {
  const TensorArg &x = tensorOf(spec, "x", 2), &y = tensorOf(spec, "y", 1);
  requireShape(spec, y, {x.shape[0]});
  const Described xs = described(api, spec, x.dtype, {x.shape[0], x.shape[1], 1, 1});
  const Described ys = described(api, spec, y.dtype, {x.shape[0], 1, 1, 1});
  const Described how = created(api, api.createReduction, api.destroyReduction);
  api.check(api.setReduction(how.get(), op, cudnn::DataType::Float, cudnn::NanPropagation::Propagate,
                             cudnn::ReduceIndices::None, cudnn::IndicesType::Bits32),
            "describing the reduction");
  std::size_t bytes = 0;
  api.check(api.reductionWorkspace(handle, how.get(), xs.get(), ys.get(), &bytes),
            "describing the reduction");
  const auto workspace = std::make_shared<CudaMemory>(bytes);
  return [=, &api, from = x.memory->address(), to = y.memory->address()](cudnn::Handle h) {
    return api.reduce(h, how.get(), nullptr, 0, workspace->address(), workspace->bytes(), &kOne, xs.get(),
                      from, &kZero, ys.get(), to);
  };
}

using Prepare = CudnnCall::Run (*)(const Api&, const CallSpec&, cudnn::Handle);

template <cudnn::SoftmaxAlgorithm algorithm>
CudnnCall::Run softmaxBy(const Api& api, const CallSpec& spec, cudnn::Handle) {
  return softmax(api, spec, algorithm);
}

template <cudnn::ReduceOp op>
CudnnCall::Run reductionBy(const Api& api, const CallSpec& spec, cudnn::Handle handle) {
  return reduction(api, spec, handle, op);
}

const std::map<std::string, Prepare, std::less<>>& functions() {
  static const std::map<std::string, Prepare, std::less<>> known{
      {"cudnn.conv2d", convolution},
      {"cudnn.max_pool2d", maxPooling},
      {"cudnn.softmax", softmaxBy<cudnn::SoftmaxAlgorithm::Accurate>},
      {"cudnn.log_softmax", softmaxBy<cudnn::SoftmaxAlgorithm::Log>},
      {"cudnn.batch_norm", batchNorm},
      {"cudnn.sum", reductionBy<cudnn::ReduceOp::Add>},
      {"cudnn.mean", reductionBy<cudnn::ReduceOp::Average>},
      {"cudnn.max", reductionBy<cudnn::ReduceOp::Max>},
      {"cudnn.vector_norm", reductionBy<cudnn::ReduceOp::Norm2>}};
  return known;
}

}  // namespace

bool isCudnnCall(const std::string& function) {
  return functions().contains(function);
}

std::unique_ptr<Call> prepareCudnn(CudaContext& context, const CallSpec& spec, const std::string& function) {
  const Prepare prepare = functions().at(function);
  return std::make_unique<CudnnCall>(context, spec,
                                     [&](cudnn::Handle handle) { return prepare(Api::get(), spec, handle); });
}

}  // namespace opscope::cuda
