// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace opscope::python {

/// The engine protocol on standard input and output, with the ops of a Python program: opscope.serve.
void defineServe(pybind11::module_& module);

}  // namespace opscope::python
