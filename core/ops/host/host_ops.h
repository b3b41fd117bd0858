// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "device/host/host_device.h"
#include "ops/elements.h"
#include "ops/reference.h"

namespace opscope {

// What the built-in ops need in C++: their host implementations and the references they are verified with,
// one file per op or family in this folder. The file NAME.cpp defines void registerName(HostOps&), which the
// build collects by itself (see CMakeLists.txt). Kernels outlive the function that issues them, so they
// capture pointers and numbers, never the context.

/// The host functions and references of the built-in ops, by name.
class HostOps {
 public:
  /// Throws InternalError for a name that is taken.
  void function(const std::string& name, host::Function function);
  void reference(const std::string& name, Reference reference);
  const std::map<std::string, host::Function>& functions() const { return functions_; }
  const std::map<std::string, Reference>& references() const { return references_; }

 private:
  std::map<std::string, host::Function> functions_;
  std::map<std::string, Reference> references_;
};

/// All of them, registered on first use. Any thread.
const HostOps& builtInHostOps();

/// The elements of a tensor as their type.
template <typename Element>
Element* elementsOf(const host::Tensor& tensor) {
  return reinterpret_cast<Element*>(tensor.data);
}

/// A host function of a single kernel: `make(context, Element*)` returns it for the element type of the
/// tensor `of`.
template <typename Make>
host::Function oneKernel(std::string kernel, std::string of, Make make) {
  return [kernel = std::move(kernel), of = std::move(of), make](host::CallContext& context) {
    withElementType(context.tensor(of).dtype,
                    [&](auto* element) { context.launch(kernel, make(context, element)); });
  };
}

}  // namespace opscope
