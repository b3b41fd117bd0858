// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/provider.h"

namespace opscope::host {

/// A tensor in host memory, as a host kernel sees it.
struct Tensor {
  std::byte* data = nullptr;
  DType dtype = DType::Float32;
  std::vector<std::int64_t> shape;
  std::int64_t elements() const;
};

/// What a host function may do while it issues a call. Valid only inside the function, on the launch thread
/// (and on threads the function starts and joins).
class CallContext {
 public:
  virtual ~CallContext() = default;
  virtual const Tensor& tensor(const std::string& name) const = 0;  ///< throws UnknownName
  virtual std::int64_t integer(const std::string& name) const = 0;  ///< throws UnknownName
  virtual double real(const std::string& name) const = 0;
  /// Queues a kernel on a stream and returns at once. 0 is the main stream; 1 to 15 run beside it, begin when
  /// everything before this call has finished, and are joined at the call's end. What the kernel captures
  /// must live until the device is drained: tensors do. A kernel that throws loses the device (see
  /// Device::drain). Throws BadInput for another stream or an empty kernel, DeviceLost.
  virtual void launch(std::string_view kernelName, std::function<void()> kernel,
                      std::uint32_t stream = 0) = 0;
  /// Queues a copy, recorded as a memop.
  virtual void copy(const Tensor& to, const Tensor& from, std::uint32_t stream = 0) = 0;
  /// Waits for everything queued so far.
  virtual void synchronise() = 0;
};

/// A host implementation: issues its kernels through the context. Registered by name before devices are
/// opened.
using Function = std::function<void(CallContext&)>;

/// The functions a host device can call. Filled by core/ops at start; never changed while a device is open.
class Functions {
 public:
  void add(std::string name, Function function);
  const Function* find(const std::string& name) const;
  std::vector<std::string> names() const;
  /// The one that programs use.
  static Functions& global();

 private:
  std::map<std::string, Function, std::less<>> functions_;
};

struct Options {
  std::int64_t clearBytes = 64 << 20;  ///< cap of the cache-clearing buffer
};

/// A CPU device that really runs: streams are worker threads with a launch queue, kernels are C++ functions,
/// records carry steady-clock times and the launching thread's id.
std::unique_ptr<Device> openHostDevice(const Functions& functions = Functions::global(),
                                       const Options& options = {});
std::unique_ptr<DeviceProvider> makeHostProvider();

}  // namespace opscope::host
