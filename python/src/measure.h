// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include "engine/given_calls.h"
#include "python_call.h"

namespace opscope::python {

/// What PyTorch's backward needs; added to the remedy of an OffThreadLaunch.
inline constexpr const char* kAutogradRemedy =
    "In PyTorch, Tensor.backward and torch.autograd.grad launch from a thread of autograd's own: measure one "
    "node "
    "with opscope.backward_of(out), or call torch.autograd.set_multithreading_enabled(False) before.";

/// The implementation of a Python op: {"name", "doc", "function", "arguments", "named"}. Needs the GIL.
GivenCall givenCallOf(const pybind11::dict& call, PythonCall::Raise raise);
/// The op: {"name", "workload", "dtype", "dims", "flops", "bytes", "calls", "stream", "environment"}; what is
/// not there stays as it is. Needs the GIL.
GivenOp givenOpOf(const pybind11::dict& op, PythonCall::Raise raise);

void defineMeasure(pybind11::module_& module);

}  // namespace opscope::python
