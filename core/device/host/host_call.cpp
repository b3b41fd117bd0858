// SPDX-License-Identifier: Apache-2.0
#include "device/host/host_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "base/error.h"

namespace opscope::host {
namespace {

// The bytes that a tensor of this shape takes; throws BadInput for a shape that cannot be.
std::size_t bytesNeeded(const std::string& label, const TensorArg& arg) {
  std::size_t bytes = bytesOf(arg.dtype);
  for (const std::int64_t extent : arg.shape)
    if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes))
      throw BadInput(fmt::format("{}: tensor \"{}\" cannot have the shape [{}]", label, arg.name,
                                 fmt::join(arg.shape, ", ")));
  return bytes;
}

Tensor boundTensor(const std::string& label, const TensorArg& arg) {
  if (arg.memory == nullptr) throw BadInput(fmt::format("{}: tensor \"{}\" has no memory", label, arg.name));
  const std::size_t needed = bytesNeeded(label, arg);
  if (needed > arg.memory->bytes())
    throw BadInput(fmt::format("{}: tensor \"{}\" takes {} bytes, its memory has {}", label, arg.name, needed,
                               arg.memory->bytes()));
  return {static_cast<std::byte*>(arg.memory->address()), arg.dtype, arg.shape};
}

class Context : public CallContext {
 public:
  Context(const std::string& label, Streams& streams, const std::map<std::string, Tensor>& tensors,
          const std::map<std::string, ScalarArg>& scalars)
      : label_(label),
        streams_(streams),
        tensors_(tensors),
        scalars_(scalars),
        mainTicket_(streams.main().lastTicket()) {}

  const Tensor& tensor(const std::string& name) const override {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
      throw UnknownName(
          fmt::format("{}: the host function asks for a tensor \"{}\", which the op lacks", label_, name));
    return found->second;
  }

  std::int64_t integer(const std::string& name) const override {
    const ScalarArg& arg = scalar(name);
    if (!arg.floating) return arg.integer;
    // 2^53: up to there a double holds every integer.
    if (arg.real != std::nearbyint(arg.real) || std::fabs(arg.real) > 9007199254740992.0)
      throw BadInput(fmt::format("{}: \"{}\" is {}, where a whole number is needed", label_, name, arg.real));
    return static_cast<std::int64_t>(arg.real);
  }

  double real(const std::string& name) const override {
    const ScalarArg& arg = scalar(name);
    return arg.floating ? arg.real : static_cast<double>(arg.integer);
  }

  void launch(std::string_view kernelName, std::function<void()> kernel, std::uint32_t stream) override {
    streams_.launch(kernelName, std::move(kernel), stream, mainTicket_);
  }

  void copy(const Tensor& to, const Tensor& from, std::uint32_t stream) override {
    const std::size_t bytes = bytesOf(from.dtype) * static_cast<std::size_t>(from.elements());
    const std::size_t room = bytesOf(to.dtype) * static_cast<std::size_t>(to.elements());
    if (bytes != room)
      throw BadInput(fmt::format("{}: a copy of {} bytes into a tensor of {} bytes", label_, bytes, room));
    streams_.memop(
        MemopKind::CopyDtoD, static_cast<std::int64_t>(bytes),
        [to = to.data, from = from.data, bytes] { std::memmove(to, from, bytes); }, stream, mainTicket_);
  }

  void synchronise() override { streams_.drain(); }

 private:
  const ScalarArg& scalar(const std::string& name) const {
    const auto found = scalars_.find(name);
    if (found == scalars_.end())
      throw UnknownName(
          fmt::format("{}: the host function asks for a number \"{}\", which the op lacks", label_, name));
    return found->second;
  }

  const std::string& label_;
  Streams& streams_;
  const std::map<std::string, Tensor>& tensors_;
  const std::map<std::string, ScalarArg>& scalars_;
  const std::uint64_t mainTicket_;
};

}  // namespace

HostCall::HostCall(const Device& device, Streams& streams, const Functions& functions, const CallSpec& spec)
    : device_(device), streams_(streams), label_(spec.label), scalars_(spec.scalars) {
  const auto* body = std::get_if<HostFunctionCall>(&spec.body);
  if (body == nullptr)
    throw NotSupported(
        fmt::format("{} has no host implementation, and the host device runs no other", label_),
        "Choose another implementation, or a GPU.");
  const Function* function = functions.find(body->function);
  if (function == nullptr)
    throw UnknownName(
        fmt::format("{} names the host function \"{}\", which does not exist", label_, body->function),
        fmt::format("There are: {}.", fmt::join(functions.names(), ", ")));
  function_ = *function;
  for (const TensorArg& arg : spec.tensors)
    if (!tensors_.try_emplace(arg.name, boundTensor(label_, arg)).second)
      throw BadInput(fmt::format("{} has two tensors called \"{}\"", label_, arg.name));
}

void HostCall::issue() {
  device_.checkThread();
  Context context(label_, streams_, tensors_, scalars_);
  function_(context);
  streams_.join();
}

}  // namespace opscope::host
