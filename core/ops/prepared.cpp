// SPDX-License-Identifier: Apache-2.0
#include "ops/prepared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "device/plugin.h"
#include "device/provider.h"
#include "ops/expression.h"

namespace opscope {
namespace {

std::string_view macroOf(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return "OPSCOPE_DTYPE_FLOAT32";
    case DType::Float16:
      return "OPSCOPE_DTYPE_FLOAT16";
    case DType::BFloat16:
      return "OPSCOPE_DTYPE_BFLOAT16";
    case DType::Int32:
      return "OPSCOPE_DTYPE_INT32";
    case DType::Int64:
      return "OPSCOPE_DTYPE_INT64";
    case DType::Int8:
      return "OPSCOPE_DTYPE_INT8";
    case DType::Float8E4M3:
      return "OPSCOPE_DTYPE_FLOAT8_E4M3";
  }
  return "OPSCOPE_DTYPE_FLOAT32";
}

Dim3 evaluateDim3(const std::vector<Expression>& sizes, const Scope& scope, const Dim3& most) {
  const auto at = [&](std::size_t i, std::uint32_t high) {
    return i < sizes.size() ? static_cast<std::uint32_t>(evaluateInteger(sizes[i], scope, 1, high)) : 1u;
  };
  return {at(0, most.x), at(1, most.y), at(2, most.z)};
}

class StepEvaluator {
 public:
  StepEvaluator(const Problem& problem, const std::vector<TensorArg>& tensors)
      : scope_(scopeOf(problem)), tensors_(tensors) {}

  bool wanted(const StepSpec& spec) const { return !spec.when || opscope::evaluate(*spec.when, scope_) != 0; }

  KernelStep evaluate(const StepSpec& spec) const {
    KernelStep step;
    step.args = spec.args;
    step.stream = spec.stream;
    step.otherThread = spec.otherThread;
    step.synchronise = spec.synchronise;
    if (spec.hostSleepUs) {
      constexpr std::int64_t kLongestSleepUs = 1'000'000;
      step.hostSleepNs = evaluateInteger(*spec.hostSleepUs, scope_, 0, kLongestSleepUs) * kMicrosecond;
    }
    if (spec.kind == "kernel")
      evaluateKernel(spec, step);
    else if (spec.kind == "fill")
      step.kind = KernelStep::Kind::Fill;
    else
      evaluateCopy(spec, step);
    return step;
  }

 private:
  // The limits are those of every CUDA device; what one device grants beyond or below, it says itself.
  void evaluateKernel(const StepSpec& spec, KernelStep& step) const {
    step.kernel = spec.kernel;
    step.overlap = spec.overlap;
    step.cluster = evaluateDim3(spec.cluster, scope_, {16u, 16u, 16u});
    step.grid = evaluateDim3(spec.grid, scope_, {2147483647u, 65535u, 65535u});
    step.block = evaluateDim3(spec.block, scope_, {1024u, 1024u, 64u});
    const std::uint64_t threads = std::uint64_t{step.block.x} * step.block.y * step.block.z;
    if (threads > 1024)
      throw BadInput(
          fmt::format("A block of {} threads for {}; at most 1024 are possible", threads, spec.kernel), {},
          spec.block[0].place);
    if (spec.sharedBytes)
      step.sharedBytes =
          static_cast<std::uint32_t>(evaluateInteger(*spec.sharedBytes, scope_, 0, std::int64_t{1} << 20));
  }

  void evaluateCopy(const StepSpec& spec, KernelStep& step) const {
    step.kind = KernelStep::Kind::Copy;
    const std::size_t to = bytesOf(spec.args[0]), from = bytesOf(spec.args[1]);
    if (to != from)
      throw BadInput(
          fmt::format("A copy of {} ({} bytes) to {} ({} bytes)", spec.args[1], from, spec.args[0], to),
          "Both must be of one size.", spec.place);
  }

  std::size_t bytesOf(const std::string& name) const {
    const auto found =
        std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorArg& t) { return t.name == name; });
    if (found == tensors_.end()) throw InternalError(fmt::format("No tensor {}", name));
    std::size_t bytes = opscope::bytesOf(found->dtype);
    for (const std::int64_t size : found->shape) bytes *= static_cast<std::size_t>(size);
    return bytes;
  }

  Scope scope_;
  const std::vector<TensorArg>& tensors_;
};

std::map<std::string, ScalarArg> scalarsOf(const Problem& problem) {
  std::map<std::string, ScalarArg> scalars;
  for (const auto& [name, size] : problem.dims) scalars[name] = {false, size, 0};
  for (const ParamSpec& param : problem.op->params)
    scalars[param.name] = param.floating ? ScalarArg{true, 0, param.value}
                                         : ScalarArg{false, static_cast<std::int64_t>(param.value), 0};
  return scalars;
}

std::vector<std::string> kindsOf(const ImplementationSpec& implementation) {
  std::vector<std::string> kinds;
  for (const auto& [kind, body] : implementation.bodies) kinds.push_back(kind);
  return kinds;
}

}  // namespace

PreparedCall::PreparedCall(std::string implementation, std::vector<std::unique_ptr<DeviceMemory>> scratch,
                           std::unique_ptr<Call> call)
    : implementation_(std::move(implementation)), scratch_(std::move(scratch)), call_(std::move(call)) {}

KernelProgram kernelProgram(const OpSpec& op, const BodySpec& body, DType dtype) {
  KernelProgram program;
  std::ifstream stream(body.source, std::ios::binary);
  program.source.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream.is_open() || stream.bad())
    throw CannotRead(fmt::format("The kernels of {} cannot be read from {}", op.name, body.source.string()),
                     {}, {body.source.string(), 0, 0});
  program.fileName = body.source.filename().string();
  program.options = body.options;
  program.options.push_back(fmt::format("-D{}", macroOf(dtype)));
  program.includeFolders = {body.source.parent_path().string()};
  // An op of the user's own may include the built-in headers too.
  try {
    const std::string builtIn = (resourceFolder() / "kernels").string();
    if (builtIn != program.includeFolders[0]) program.includeFolders.push_back(builtIn);
  } catch (const CannotRead&) {
    // The compiler says it if the source needs them.
  }
  return program;
}

std::string whyNotSupported(const Problem& problem, const std::string& implementation,
                            const std::string& deviceKind) {
  const ImplementationSpec& spec = problem.op->implementation(implementation);
  const std::string what = fmt::format("{}/{}", problem.op->name, implementation);
  const auto found = spec.bodies.find(deviceKind);
  if (found == spec.bodies.end())
    return fmt::format("{} runs on {}, not on {}", what, fmt::join(kindsOf(spec), " and "), deviceKind);
  const BodySpec& body = found->second;
  if (!body.dtypes.empty() &&
      std::find(body.dtypes.begin(), body.dtypes.end(), problem.dtype) == body.dtypes.end()) {
    std::vector<std::string_view> names;
    for (const DType dtype : body.dtypes) names.push_back(nameOf(dtype));
    return fmt::format("{} on {} computes in {}, not in {}", what, deviceKind, fmt::join(names, " and "),
                       nameOf(problem.dtype));
  }
  if (body.requires_ && evaluate(*body.requires_, scopeOf(problem)) == 0)
    return fmt::format("{} on {} needs \"{}\", which this workload does not meet", what, deviceKind,
                       body.requires_->text);
  return {};
}

PreparedCall prepare(Tensors& tensors, const std::string& implementation) {
  const Problem& problem = tensors.problem();
  Device& device = tensors.device();
  const ImplementationSpec& spec = problem.op->implementation(implementation);
  const std::string reason = whyNotSupported(problem, implementation, device.info().kind);
  if (!reason.empty()) {
    const auto there = problem.op->implementationsFor(device.info().kind);
    throw NotSupported(
        reason, there.empty()
                    ? fmt::format("{} has no implementation for {}.", problem.op->name, device.info().kind)
                    : fmt::format("On {} there are: {}.", device.info().kind, fmt::join(there, ", ")));
  }
  const BodySpec& body = spec.bodies.at(device.info().kind);

  CallSpec call;
  call.label = fmt::format("{}/{}", problem.op->name, implementation);
  call.tensors = tensors.args();
  call.scalars = scalarsOf(problem);
  std::vector<std::unique_ptr<DeviceMemory>> scratch;
  for (const TensorSpec& tensor : body.scratch) {
    scratch.push_back(allocateTensor(device, problem, tensor));
    call.tensors.push_back(
        {tensor.name, tensor.dtype.value_or(problem.dtype), shapeOf(problem, tensor), scratch.back().get()});
  }
  switch (body.kind) {
    case BodySpec::Kind::Kernels: {
      KernelProgram program = kernelProgram(*problem.op, body, problem.dtype);
      program.graph = body.graph;
      const StepEvaluator evaluator(problem, call.tensors);
      for (const StepSpec& step : body.steps)
        if (evaluator.wanted(step)) program.steps.push_back(evaluator.evaluate(step));
      call.body = std::move(program);
      break;
    }
    case BodySpec::Kind::Library:
      if (!body.source.empty())
        return {implementation, std::move(scratch),
                Plugin::load(body.source)->prepare(device, call, body.function)};
      call.body = LibraryCall{body.function};
      break;
    case BodySpec::Kind::Host:
      call.body = HostFunctionCall{body.function};
      break;
  }
  return {implementation, std::move(scratch), device.prepare(call)};
}

}  // namespace opscope
