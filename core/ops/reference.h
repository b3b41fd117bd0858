// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ops/prepared.h"

namespace opscope {

/// What a reference sees: the inputs as they were uploaded (already rounded to their dtype), dimensions,
/// parameters.
struct ReferenceInput {
  const std::map<std::string, HostTensor>& inputs;
  const std::map<std::string, std::int64_t>& dims;
  const std::map<std::string, double>& params;
};

/// The value of one output element in fp64 and the sum of the magnitudes that were added up to it (the scale
/// of its rounding error; |value| where nothing is added up).
struct ReferenceValue {
  double value = 0;
  double magnitude = 0;
};

/// The elements of an output that are compared, and what they must be.
struct Expected {
  std::vector<std::int64_t> indices;  ///< flat, ascending
  std::vector<ReferenceValue> values;
};

/// Computes the elements `indices` (flat, ascending) of output `output`.
using Reference =
    std::function<void(const ReferenceInput& input, const std::string& output,
                       std::span<const std::int64_t> indices, std::span<ReferenceValue> values)>;

/// The registered references, by the name that specs use. Throws UnknownName.
const Reference& reference(const std::string& name);
bool hasReference(const std::string& name);
std::vector<std::string> referenceNames();

/// Registers the host implementations of the built-in ops with host::Functions::global(). Idempotent;
/// thread-safe.
void registerHostFunctions();

}  // namespace opscope
