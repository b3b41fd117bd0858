// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>

#include "engine/prepare_process.h"
#include "failures.h"
#include "host.h"
#include "measure.h"
#include "results.h"
#include "serve.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The measuring half of Opscope; use the functions of the package opscope.";
  module.attr("__version__") = OPSCOPE_VERSION;
  // NVTX asks for its tool at its first call in a process, so this is done as soon as the module is there.
  opscope::prepareProcess();
  opscope::python::translateErrors();
  opscope::python::defineResults(module);
  opscope::python::defineMeasure(module);
  opscope::python::defineHost(module);
  opscope::python::defineServe(module);
}
