// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace opscope::python {

/// Lets go of everything that was prepared on a device that is about to be closed.
void forgetHostOps();

/// Launching on the host device from Python: opscope.host.
void defineHost(pybind11::module_& module);

}  // namespace opscope::python
