// SPDX-License-Identifier: Apache-2.0
#include "cuda/cudnn_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <functional>
#include <map>

#include "base/error.h"
#include "cuda/cuda_memory.h"
#include "cuda/cudnn_api.h"
#include "cuda/cudnn_convolution.h"
#include "cuda/cudnn_spec.h"
#include "cuda/kernel_arguments.h"

namespace opscope::cuda {
namespace {

using cudnn::Api;
using cudnn::sizeOf;
using cudnn::tensorOf;
using cudnn::wholeNumber;
using Described = std::shared_ptr<void>;

Described created(const Api& api, cudnn::Status (*create)(cudnn::Descriptor*),
                  cudnn::Status (*destroy)(cudnn::Descriptor)) {
  cudnn::Descriptor descriptor = nullptr;
  api.check(create(&descriptor), "describing the call");
  return {descriptor, destroy};
}

void requireShape(const CallSpec& spec, const TensorArg& tensor, const std::vector<std::int64_t>& shape) {
  if (tensor.shape != shape)
    throw BadInput(fmt::format("{}: '{}' is [{}], cuDNN needs [{}]", spec.label, tensor.name,
                               fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
}

Described described(const Api& api, const CallSpec& spec, DType dtype,
                    const std::array<std::int64_t, 4>& shape) {
  Described tensor = created(api, api.createTensor, api.destroyTensor);
  api.check(
      api.setTensor(tensor.get(), cudnn::Format::Nchw, cudnn::typeOf(spec, dtype), sizeOf(spec, shape[0]),
                    sizeOf(spec, shape[1]), sizeOf(spec, shape[2]), sizeOf(spec, shape[3])),
      "describing the call");
  return tensor;
}

constexpr float kOne = 1;
constexpr float kZero = 0;

/// A prepared operation: `run` issues it by the handle, which is set to the call's stream.
class CudnnCall final : public Call {
 public:
  using Run = cudnn::Run;
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
      {"cudnn.conv2d", cudnn::convolution},
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
