// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernel_arguments.h"

#include <cuda.h>
#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace opscope::cuda {
namespace {

const TensorArg* findTensor(const CallSpec& spec, std::string_view name) {
  for (const TensorArg& tensor : spec.tensors)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

[[noreturn]] void unknownArgument(const CallSpec& spec, const std::string& user, std::string_view name) {
  std::string have;
  for (const TensorArg& tensor : spec.tensors) have += (have.empty() ? "" : ", ") + tensor.name;
  for (const auto& [scalar, value] : spec.scalars) have += (have.empty() ? "" : ", ") + scalar;
  throw BadInput(fmt::format("{}: {} asks for '{}', which is neither a tensor nor a dimension or parameter",
                             spec.label, user, name),
                 fmt::format("There are: {}.", have));
}

}  // namespace

const TensorArg& tensorNamed(const CallSpec& spec, std::string_view name) {
  const TensorArg* tensor = findTensor(spec, name);
  if (tensor == nullptr) unknownArgument(spec, "a step", name);
  if (tensor->memory == nullptr) throw InternalError(fmt::format("{}: '{}' has no memory", spec.label, name));
  return *tensor;
}

KernelArguments::KernelArguments(const CallSpec& spec, const KernelStep& step)
    : label_(spec.label), kernel_(step.kernel), names_(step.args) {
  slots_.resize(names_.size());
  const auto put = [](Slot& slot, const auto& value) {
    static_assert(sizeof value == 8);
    std::memcpy(slot.bytes.data(), &value, sizeof value);
  };
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (findTensor(spec, names_[i]) != nullptr) {
      put(slots_[i], tensorNamed(spec, names_[i]).memory->address());
      kinds_.emplace_back("a pointer");
    } else if (const auto scalar = spec.scalars.find(names_[i]); scalar != spec.scalars.end()) {
      if (scalar->second.floating) {
        put(slots_[i], scalar->second.real);
        kinds_.emplace_back("a double");
      } else {
        put(slots_[i], static_cast<long long>(scalar->second.integer));
        kinds_.emplace_back("a long long");
      }
    } else {
      unknownArgument(spec, fmt::format("kernel '{}'", step.kernel), names_[i]);
    }
  }
  for (Slot& slot : slots_) addresses_.push_back(slot.bytes.data());
}

void KernelArguments::validate(const std::vector<std::size_t>& parameterSizes) const {
  if (parameterSizes.size() != names_.size())
    throw BadInput(fmt::format("{}: kernel '{}' takes {} arguments, the step gives {}", label_, kernel_,
                               parameterSizes.size(), names_.size()),
                   "List the kernel's parameters in its order under args.");
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (parameterSizes[i] != sizeof(Slot))
      throw BadInput(
          fmt::format(
              "{}: argument {} '{}' of kernel '{}' has {} bytes in the source, but is passed as {} of "
              "{} bytes",
              label_, i + 1, names_[i], kernel_, parameterSizes[i], kinds_[i], sizeof(Slot)),
          "Declare whole numbers as long long, other numbers as double, tensors as pointers.");
}

std::optional<std::vector<std::size_t>> parameterSizesOf(cudaKernel_t kernel) {
  // Since CUDA 12.4. Fetched through the runtime, so that nothing here links the driver's library.
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion("cuKernelGetParamInfo", &entry, 12040, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess || entry == nullptr) {
    cudaGetLastError();
    return std::nullopt;
  }
  const auto getParamInfo = reinterpret_cast<decltype(&cuKernelGetParamInfo)>(entry);
  std::vector<std::size_t> sizes;
  constexpr std::size_t kMost = 4096;  // more than any kernel's parameters can be
  for (std::size_t i = 0; i < kMost; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (getParamInfo(reinterpret_cast<CUkernel>(kernel), i, &offset, &size) != CUDA_SUCCESS) break;
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace opscope::cuda
