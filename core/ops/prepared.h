// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/large_vector.h"
#include "device/device.h"
#include "ops/op_spec.h"

namespace opscope {

/// What is to be measured, resolved against a spec: dimensions known, expressions evaluated.
struct Problem {
  const OpSpec* op = nullptr;  ///< not owned; the catalogue outlives it
  std::string workload;        ///< its label, or "custom"
  DType dtype = DType::Float32;
  std::map<std::string, std::int64_t> dims;
  double flops = 0;  ///< of one call, as the op claims
  double bytes = 0;  ///< of one call, as the op claims
  std::uint64_t seed = 0;
};

/// Resolves names and dimensions. `dims` replaces single dimensions of the workload; with an empty workload
/// label they must be complete. Throws UnknownName or BadInput (a shape that does not fit, a size of 0, a
/// dtype the op lacks).
Problem makeProblem(const OpSpec& op, const std::string& workload, DType dtype,
                    const std::map<std::string, std::int64_t>& dims, std::uint64_t seed);

/// The names that the spec's expressions may use, with their values for this problem.
std::map<std::string, double> scopeOf(const Problem& problem);
/// The shape of an input, output or scratch tensor. Throws BadInput for a size that is not 1 or more.
std::vector<std::int64_t> shapeOf(const Problem& problem, const TensorSpec& tensor);

/// Where an input's values come from in this problem: a bound that is an expression is evaluated. Throws
/// BadInput when it leaves nothing but zeros.
Distribution distributionOf(const Problem& problem, const TensorSpec& tensor);

/// One input or output on the host.
struct HostTensor {
  const TensorSpec* spec = nullptr;
  DType dtype = DType::Float32;
  std::vector<std::int64_t> shape;
  UnsetBytes bytes;
  std::int64_t elements() const;
};

/// Fresh random inputs, the same for the same seed on every machine (see docs/ops.md for the generator).
/// Uses several threads for large tensors. Throws OutOfMemory when this machine has no room for them.
std::map<std::string, HostTensor> makeInputs(const Problem& problem);

struct Expected;  // in ops/reference.h

/// Memory for one tensor. Throws OutOfMemory, naming the tensor and what was asked for.
std::unique_ptr<DeviceMemory> allocateTensor(Device& device, const Problem& problem, const TensorSpec& spec);

/// The tensors of a problem on a device, shared by the implementations that are compared: all read the same
/// inputs.
class Tensors {
 public:
  /// Allocates inputs and outputs and uploads the inputs. Throws OutOfMemory, naming what was asked for.
  Tensors(Device& device, const Problem& problem);
  /// The same inputs in other memory of the device. Throws OutOfMemory, naming what was asked for.
  std::unique_ptr<Tensors> copy() const;
  Device& device() const { return *device_; }
  const Problem& problem() const { return problem_; }
  const std::map<std::string, HostTensor>& inputs() const { return *inputs_; }
  DeviceMemory& memory(const std::string& tensor) const;
  /// Fills the outputs with bytes that are NaN in every floating type, so that an element nobody writes
  /// shows.
  void poisonOutputs();
  /// What an output holds now, read into the same memory of this machine each time.
  const HostTensor& readOutput(const TensorSpec& spec);
  /// Whether the device still holds the input that was uploaded. Where the device can tell by itself, nothing
  /// travels.
  bool isUnchanged(const std::string& input);
  /// What an output must hold, as far as it is compared: computed once for all implementations and copies.
  const Expected& expected(const TensorSpec& output);
  std::vector<TensorArg> args() const;

 private:
  Tensors(Device& device, const Problem& problem,
          std::shared_ptr<const std::map<std::string, HostTensor>> inputs,
          std::shared_ptr<std::map<std::string, Expected>> expected);

  Device* device_;
  Problem problem_;
  std::shared_ptr<const std::map<std::string, HostTensor>> inputs_;  // all copies upload the same
  std::map<std::string, std::unique_ptr<DeviceMemory>> memory_;
  std::shared_ptr<std::map<std::string, Expected>> expected_;         // one for all copies
  std::map<std::string, std::optional<std::uint64_t>> fingerprints_;  // of the inputs
  std::map<std::string, HostTensor> read_;                            // the outputs
};

/// An implementation ready to run on a device. Owns its scratch memory; the tensors must outlive it.
class PreparedCall {
 public:
  PreparedCall(std::string implementation, std::vector<std::unique_ptr<DeviceMemory>> scratch,
               std::unique_ptr<Call> call);
  const std::string& implementation() const { return implementation_; }
  Call& call() { return *call_; }

 private:
  std::string implementation_;
  std::vector<std::unique_ptr<DeviceMemory>> scratch_;
  std::unique_ptr<Call> call_;
};

/// The text and the compiler options of a body's kernels for one dtype; `steps` and `graph` are left empty.
/// Needs no device. Throws CannotRead when the source is gone.
KernelProgram kernelProgram(const OpSpec& op, const BodySpec& body, DType dtype);

/// Why an implementation cannot run this problem on this kind of device, as a sentence; empty when it can.
/// Cheap: nothing is compiled or allocated.
std::string whyNotSupported(const Problem& problem, const std::string& implementation,
                            const std::string& deviceKind);

/// Evaluates the spec's expressions and has the device prepare the call. Throws UnknownName, NotSupported (no
/// body for this kind of device, dtype or workload), BadInput, CompileFailed, LibraryMissing, OutOfMemory.
PreparedCall prepare(Tensors& tensors, const std::string& implementation);

/// What verification found.
struct Verification {
  bool checked = false;  ///< false: the op has no reference
  bool passed = false;
  std::int64_t compared = 0;  ///< how many output elements
  std::int64_t elements = 0;  ///< of how many
  double tolerance = 0;       ///< on |error| / sum|a||b|
  double worst = 0;           ///< the largest such quotient; NaN when an element was NaN
  std::string where;          ///< the worst element, as in "y[17, 204]"
  double got = 0;
  double expected = 0;
  std::string reason;  ///< why it failed, as a sentence; empty when it passed
};

/// Runs the call once on poisoned outputs and compares with the op's reference in fp64: every element of
/// small outputs, a few thousand sampled ones of large outputs. Tolerance by dtype: fp32 1e-5, fp16 1e-3,
/// bf16 1.6e-2, fp8 6.3e-2 of sum|a||b| (plus two of the dtype's smallest steps, where rounding is absolute),
/// unless the output's spec gives its own. Every
/// element of a floating output is also looked at for NaN: one that nobody wrote fails wherever it is. A call
/// that changes an input fails too. Never throws for a wrong result: that is the caller's decision.
Verification verify(Tensors& tensors, PreparedCall& call);

}  // namespace opscope
