// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace opscope {

/// Element types of tensors.
/// Float8E4M3 has no infinity: what is beyond 448 becomes 448, as the GPU's saturating conversion does.
enum class DType : std::uint8_t { Float32, Float16, BFloat16, Int32, Int64, Int8, Float8E4M3 };

/// "float32", "float16", "bfloat16", ...: the names in specs, on the command line and in files.
std::string_view nameOf(DType dtype);
/// Also accepts the short forms fp32, fp16, bf16, fp8.
std::optional<DType> dtypeFromName(std::string_view name);
std::size_t bytesOf(DType dtype);
bool isFloating(DType dtype);

/// One element to and from double, rounding to nearest even. `bytes` must hold bytesOf(dtype) bytes.
double loadElement(DType dtype, const std::byte* bytes);
void storeElement(DType dtype, std::byte* bytes, double value);

}  // namespace opscope
