// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/dtype.h"

namespace opscope {

/// The largest size of one dimension that a workload can have.
inline constexpr std::int64_t kLargestDim = std::int64_t{1} << 40;

/// An expression over dimensions, parameters and elem_bytes (the bytes of the workload's dtype) as it stands
/// in a spec, kept with its place for messages.
struct Expression {
  std::string text;
  Place place;
};

/// Where a tensor's values come from. Never all zero: zeros hide wrong indexing and run faster than real
/// data.
struct Distribution {
  enum class Kind : std::uint8_t { Normal, Uniform, Integers, Permutation, Partition } kind = Kind::Normal;
  double a = 0;  ///< mean, or lower bound
  double b = 1;  ///< standard deviation, or upper bound (exclusive for integers)
  /// The upper bound of integers where it depends on the workload, as the number of rows that are indexed;
  /// the number of items of a partition.
  std::optional<Expression> high;
  std::optional<Expression> draws;  ///< partition: lots per item, of which the lowest counts
};

struct TensorSpec {
  std::string name;
  std::vector<Expression> shape;  ///< over the dimensions
  std::optional<DType> dtype;     ///< the workload's dtype unless given
  Distribution distribution;      ///< inputs only
  /// Outputs only, where the dtype's own are not right: how far a result may be from its reference, relative
  /// to its magnitude (by the dtype of the output) and in absolute terms.
  std::map<DType, double> tolerance;
  std::optional<double> absolute;
  bool output = false;
  Place place;
};

struct ParamSpec {
  std::string name;
  double value = 0;
  bool floating = true;  ///< written with a point or an exponent: kernels take a double, else a long long
  Place place;
};

/// One set of dimensions with the dtypes it is measured in.
struct WorkloadSpec {
  std::string label;
  std::map<std::string, std::int64_t> dims;
  std::vector<DType> dtypes;
  Place place;
};

/// One step of a kernel implementation, expressions not yet evaluated (see KernelStep).
struct StepSpec {
  std::string kind;  ///< "kernel", "copy", "fill"
  std::string kernel;
  std::vector<Expression> grid;
  std::vector<Expression> block;
  std::optional<Expression> sharedBytes;
  std::vector<std::string> args;
  std::uint32_t stream = 0;
  std::optional<Expression> hostSleepUs;
  std::optional<Expression> when;  ///< zero: the step is left out for this workload
  bool otherThread = false;
  bool synchronise = false;
  bool overlap = false;
  std::vector<Expression> cluster;
  Place place;
};

/// How one implementation runs on one kind of device.
struct BodySpec {
  enum class Kind : std::uint8_t { Kernels, Library, Host } kind = Kind::Kernels;
  std::filesystem::path source;         ///< Kernels: the .cu file, beside the spec or in resources/kernels
  std::vector<std::string> options;     ///< Kernels: compiler options
  std::vector<TensorSpec> scratch;      ///< tensors between the steps, neither input nor output
  std::vector<StepSpec> steps;          ///< Kernels
  bool graph = false;                   ///< Kernels: captured into a graph
  std::string function;                 ///< Library, Host
  std::vector<DType> dtypes;            ///< when it cannot do all of the op's
  std::optional<Expression> requires_;  ///< zero when the workload does not suit it
  Place place;
};

struct ImplementationSpec {
  std::string name;
  std::string doc;
  std::map<std::string, BodySpec> bodies;  ///< by device kind: "cuda", "host"
  Place place;
};

/// One op as its YAML entry says (see docs/ops.md).
struct OpSpec {
  std::string name;
  std::string family;
  std::string doc;
  std::vector<TensorSpec> tensors;  ///< inputs, then outputs
  std::vector<ParamSpec> params;
  /// The names that the shapes and partitions use, sorted; every workload gives them all.
  std::vector<std::string> dims;
  std::vector<DType> dtypes;
  std::vector<WorkloadSpec> workloads;
  Expression flops;       ///< of one call
  Expression bytes;       ///< of one call: each input read once, each output written once; may use elem_bytes
  std::string reference;  ///< the registered reference function; empty: cannot be verified, and that is said
  std::vector<ImplementationSpec> implementations;
  std::filesystem::path file;
  Place place;

  const WorkloadSpec& workload(const std::string& label) const;             ///< throws UnknownName
  const ImplementationSpec& implementation(const std::string& name) const;  ///< throws UnknownName
  /// Those with a body for this kind of device, whatever the workload.
  std::vector<std::string> implementationsFor(const std::string& deviceKind) const;
};

}  // namespace opscope
