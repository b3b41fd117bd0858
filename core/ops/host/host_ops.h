// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/host/host_device.h"
#include "ops/elements.h"

namespace opscope {

// The host implementations of the built-in ops, one file per op. Every function issues as many kernels as its
// CUDA twin. Kernels outlive the function that issues them, so they capture pointers and numbers, never the
// context.

void registerAdd(host::Functions& functions);
void registerRmsNorm(host::Functions& functions);
void registerGemm(host::Functions& functions);
void registerTraps(host::Functions& functions);

/// The elements of a tensor as their type.
template <typename Element>
Element* elementsOf(const host::Tensor& tensor) {
  return reinterpret_cast<Element*>(tensor.data);
}

}  // namespace opscope
