// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "ops/expression.h"
#include "ops/near_names.h"
#include "ops/prepared.h"

namespace opscope {
namespace {

// Beyond this no machine has the memory, and sums of sizes still fit their integers.
constexpr std::int64_t kMostElements = std::int64_t{1} << 44;

void checkDType(const OpSpec& op, DType dtype) {
  if (std::find(op.dtypes.begin(), op.dtypes.end(), dtype) != op.dtypes.end()) return;
  std::vector<std::string> names;
  for (const DType known : op.dtypes) names.emplace_back(nameOf(known));
  throw BadInput(fmt::format("{} is not measured in {}", op.name, nameOf(dtype)),
                 nameRemedy(nameOf(dtype), names, "dtypes"));
}

std::map<std::string, std::int64_t> resolveDims(const OpSpec& op, const std::string& workload,
                                                const std::map<std::string, std::int64_t>& given) {
  std::map<std::string, std::int64_t> dims;
  if (!workload.empty()) dims = op.workload(workload).dims;
  for (const auto& [name, size] : given) {
    if (std::find(op.dims.begin(), op.dims.end(), name) == op.dims.end())
      throw UnknownName(fmt::format("{} has no dimension \"{}\"", op.name, name),
                        nameRemedy(name, op.dims, "dimensions"));
    if (size < 0 || size > kLargestDim)
      throw BadInput(fmt::format("The dimension {} cannot be {}", name, size),
                     fmt::format("Expected 0 to {}.", kLargestDim));
    dims[name] = size;
  }
  for (const std::string& name : op.dims)
    if (!dims.contains(name))
      throw BadInput(fmt::format("The dimension {} of {} is not given", name, op.name),
                     "Name a workload, or give every dimension.");
  return dims;
}

}  // namespace

Scope scopeOf(const Problem& problem) {
  Scope scope;
  for (const auto& [name, size] : problem.dims) scope[name] = static_cast<double>(size);
  for (const ParamSpec& param : problem.op->params) scope[param.name] = param.value;
  scope["elem_bytes"] = static_cast<double>(bytesOf(problem.dtype));
  return scope;
}

std::vector<std::int64_t> shapeOf(const Problem& problem, const TensorSpec& tensor) {
  const Scope scope = scopeOf(problem);
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  for (const Expression& size : tensor.shape) {
    shape.push_back(evaluateInteger(size, scope, 1, kLargestDim));
    if (shape.back() > kMostElements / elements)
      throw BadInput(fmt::format("The tensor {} has more than {} elements", tensor.name, kMostElements),
                     "Choose smaller dimensions.", tensor.place);
    elements *= shape.back();
  }
  return shape;
}

Distribution distributionOf(const Problem& problem, const TensorSpec& tensor) {
  Distribution distribution = tensor.distribution;
  if (!distribution.high) return distribution;
  constexpr std::int64_t kLargest = 2147483647;
  const Scope scope = scopeOf(problem);
  if (distribution.draws) {
    constexpr std::int64_t kMostDraws = 1024;
    distribution.a = static_cast<double>(evaluateInteger(*distribution.draws, scope, 1, kMostDraws));
    distribution.draws.reset();
  }
  const auto low = distribution.kind == Distribution::Kind::Integers
                       ? static_cast<std::int64_t>(distribution.a)
                       : std::int64_t{0};
  distribution.b = static_cast<double>(
      evaluateInteger(*distribution.high, scope, std::max<std::int64_t>(low + 1, 1), kLargest));
  distribution.high.reset();
  return distribution;
}

std::int64_t HostTensor::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

Problem makeProblem(const OpSpec& op, const std::string& workload, DType dtype,
                    const std::map<std::string, std::int64_t>& dims, std::uint64_t seed) {
  checkDType(op, dtype);
  Problem problem;
  problem.op = &op;
  problem.dtype = dtype;
  problem.seed = seed;
  problem.dims = resolveDims(op, workload, dims);
  const bool asLabelled = !workload.empty() && problem.dims == op.workload(workload).dims;
  problem.workload = asLabelled ? workload : "custom";
  for (const TensorSpec& tensor : op.tensors) shapeOf(problem, tensor);
  const Scope scope = scopeOf(problem);
  problem.flops = evaluate(op.flops, scope);
  problem.bytes = evaluate(op.bytes, scope);
  for (const auto& [value, expression] : {std::pair{problem.flops, &op.flops}, {problem.bytes, &op.bytes}})
    if (value < 0)
      throw BadInput(fmt::format("The roofline expression \"{}\" is negative: {}", expression->text, value),
                     {}, expression->place);
  return problem;
}

}  // namespace opscope
