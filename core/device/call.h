// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "device/dtype.h"

namespace opscope {

/// Memory of a device. Freed by its destructor, on the launch thread, before its device is closed.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  virtual ~DeviceMemory() = default;
  virtual std::size_t bytes() const = 0;
  /// The address in the device's own terms: what a kernel argument holds.
  virtual void* address() const = 0;
};

struct TensorArg {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<std::int64_t> shape;
  DeviceMemory* memory = nullptr;  ///< not owned; outlives the call
};

/// A number that a kernel takes, by name: a dimension or parameter. An integer is passed as a 64-bit integer
/// (long long in the kernel), a floating one as a double.
struct ScalarArg {
  bool floating = false;
  std::int64_t integer = 0;
  double real = 0;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

/// One step of a kernel implementation, with every expression already evaluated.
struct KernelStep {
  enum class Kind : std::uint8_t { Kernel, Copy, Fill } kind = Kind::Kernel;
  std::string kernel;  ///< the name in the source; extern "C", or a template instance as in "f<float>"
  Dim3 grid;           ///< blocks
  Dim3 block;          ///< threads
  std::uint32_t sharedBytes = 0;  ///< dynamic shared memory
  /// Kernel: names of tensors and scalars, in the order of its parameters. Copy: destination, source (same
  /// bytes). Fill: destination (zeroed).
  std::vector<std::string> args;
  std::uint32_t stream = 0;  ///< 0 is the call's main stream; others run beside it and join at the call's end
  std::int64_t hostSleepNs =
      0;  ///< the host sleeps this long before issuing the step: for tests and for learning
  bool otherThread = false;  ///< issued by a thread that no iteration knows: for tests and for learning
  bool synchronise = false;  ///< the host waits for the stream after issuing the step
  /// A kernel that may begin while the step before it still runs, once that allows it: programmatic dependent
  /// launch. Not of the first step.
  bool overlap = false;
  Dim3 cluster;  ///< blocks that run at one time and share their shared memory; 1 x 1 x 1: none
};

/// Kernels compiled from source for the device at hand.
struct KernelProgram {
  std::string source;                       ///< the text
  std::string fileName;                     ///< for messages
  std::vector<std::string> options;         ///< compiler options, as in "-DT=__half"
  std::vector<std::string> includeFolders;  ///< where #include "..." is looked for
  std::vector<KernelStep> steps;
  bool graph = false;  ///< captured once into a graph; the call then is one graph launch
};

/// A call into a library that the device knows by name, as in "cublaslt.gemm".
struct LibraryCall {
  std::string function;
};

/// A C++ function of the host device, by its registered name.
struct HostFunctionCall {
  std::string function;
};

/// Everything a device needs to prepare a call. `scalars` holds the workload's dimensions and the op's
/// parameters.
struct CallSpec {
  std::string label;  ///< "rms_norm/one-pass", for messages
  std::vector<TensorArg> tensors;
  std::map<std::string, ScalarArg> scalars;
  std::variant<KernelProgram, LibraryCall, HostFunctionCall> body;
};

/// One execution of an implementation on prepared tensors, ready to be issued again and again: what is timed.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;
  /// Issues the whole call on the device's main stream. On the launch thread. Does nothing that need not be
  /// done for every call: no allocation, no lookup, no compilation. Throws DeviceLost when the device
  /// refuses.
  virtual void issue() = 0;
};

}  // namespace opscope
