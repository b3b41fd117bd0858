// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include "base/error.h"

namespace opscope::python {

/// The exception of opscope.errors for a failure. `copyOnly`: a NoKernel whose calls copied, which has a
/// class of its own there. Needs the GIL.
pybind11::object exceptionOf(const ErrorInfo& failure, bool copyOnly = false);

/// Makes every opscope::Error that leaves the module the exception of its name.
void translateErrors();

/// The Python exception in flight as a failure of the implementation `name`, with the file and line of its
/// innermost frame. Needs the GIL; takes the exception.
ErrorInfo failureOf(const std::string& name, const pybind11::error_already_set& raised);

}  // namespace opscope::python
