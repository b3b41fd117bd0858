// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ops/reference.h"

namespace opscope {

// The references of the built-in ops, registered by name in reference.cpp. All compute in fp64 from the
// inputs as they were rounded to their dtype.

void referenceAdd(const ReferenceInput& input, const std::string& output,
                  std::span<const std::int64_t> indices, std::span<ReferenceValue> values);
void referenceRmsNorm(const ReferenceInput& input, const std::string& output,
                      std::span<const std::int64_t> indices, std::span<ReferenceValue> values);
void referenceGemm(const ReferenceInput& input, const std::string& output,
                   std::span<const std::int64_t> indices, std::span<ReferenceValue> values);
/// y = x, and y = 2 x: what the traps compute. Every output has the shape of the input x.
void referenceSame(const ReferenceInput& input, const std::string& output,
                   std::span<const std::int64_t> indices, std::span<ReferenceValue> values);
void referenceTwice(const ReferenceInput& input, const std::string& output,
                    std::span<const std::int64_t> indices, std::span<ReferenceValue> values);

/// One element of an input.
inline double elementOf(const HostTensor& tensor, std::int64_t index) {
  return loadElement(tensor.dtype,
                     tensor.bytes.data() + static_cast<std::size_t>(index) * bytesOf(tensor.dtype));
}

}  // namespace opscope
