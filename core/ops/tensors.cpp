// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/format.h"
#include "ops/prepared.h"
#include "ops/reference.h"

namespace opscope {
namespace {

std::size_t bytesOf(const Problem& problem, const TensorSpec& spec) {
  std::size_t bytes = bytesOf(spec.dtype.value_or(problem.dtype));
  for (const std::int64_t size : shapeOf(problem, spec)) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

}  // namespace

std::unique_ptr<DeviceMemory> allocateTensor(Device& device, const Problem& problem, const TensorSpec& spec) {
  const std::size_t bytes = bytesOf(problem, spec);
  try {
    return device.allocate(bytes);
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(fmt::format("No memory for the tensor {} of {} ({}): {}", spec.name, problem.op->name,
                                  formatBytes(static_cast<double>(bytes)), error.info().message),
                      error.info().remedy.empty() ? "Choose a smaller workload." : error.info().remedy);
  }
}

Tensors::Tensors(Device& device, const Problem& problem)
    : Tensors(device, problem, nullptr, std::make_shared<std::map<std::string, Expected>>()) {}

Tensors::Tensors(Device& device, const Problem& problem,
                 std::shared_ptr<const std::map<std::string, HostTensor>> inputs,
                 std::shared_ptr<std::map<std::string, Expected>> expected)
    : device_(&device), problem_(problem), inputs_(std::move(inputs)), expected_(std::move(expected)) {
  // The device's memory first: it is the one that is short, and it says so at once.
  for (const TensorSpec& spec : problem_.op->tensors)
    memory_.emplace(spec.name, allocateTensor(device, problem_, spec));
  if (!inputs_) inputs_ = std::make_shared<const std::map<std::string, HostTensor>>(makeInputs(problem_));
  for (const auto& [name, tensor] : *inputs_) {
    device.copyToDevice(memory(name), tensor.bytes);
    fingerprints_[name] = device.fingerprint(memory(name));
  }
}

std::unique_ptr<Tensors> Tensors::copy() const {
  return std::unique_ptr<Tensors>(new Tensors(*device_, problem_, inputs_, expected_));
}

DeviceMemory& Tensors::memory(const std::string& tensor) const {
  const auto found = memory_.find(tensor);
  if (found == memory_.end())
    throw UnknownName(fmt::format("{} has no tensor \"{}\"", problem_.op->name, tensor));
  return *found->second;
}

void Tensors::poisonOutputs() {
  for (const TensorSpec& spec : problem_.op->tensors)
    if (spec.output) device_->fill(memory(spec.name), std::byte{0xff});
}

const HostTensor& Tensors::readOutput(const TensorSpec& spec) {
  HostTensor& output = read_[spec.name];
  if (output.spec == nullptr) {
    output = {&spec, spec.dtype.value_or(problem_.dtype), shapeOf(problem_, spec), {}};
    resizeLarge(output.bytes, bytesOf(problem_, spec));
  }
  device_->copyToHost(output.bytes, memory(spec.name));
  return output;
}

bool Tensors::isUnchanged(const std::string& input) {
  const auto& before = fingerprints_.at(input);
  if (before) return device_->fingerprint(memory(input)) == before;
  const UnsetBytes& uploaded = inputs_->at(input).bytes;
  UnsetBytes now;
  resizeLarge(now, uploaded.size());
  device_->copyToHost(now, memory(input));
  return now == uploaded;
}

std::vector<TensorArg> Tensors::args() const {
  std::vector<TensorArg> args;
  for (const TensorSpec& spec : problem_.op->tensors)
    args.push_back(
        {spec.name, spec.dtype.value_or(problem_.dtype), shapeOf(problem_, spec), &memory(spec.name)});
  return args;
}

}  // namespace opscope
