// SPDX-License-Identifier: Apache-2.0
#include "python_call.h"

#include <utility>

#include "failures.h"

namespace opscope::python {

namespace py = pybind11;

PythonCall::PythonCall(std::string name, py::object function, py::tuple arguments, py::dict named,
                       Raise raise)
    : name_(std::move(name)),
      function_(function.release().ptr()),
      arguments_(arguments.release().ptr()),
      named_(named.empty() ? nullptr : named.release().ptr()),
      raise_(raise) {}

PythonCall::~PythonCall() {
  const py::gil_scoped_acquire gil;
  Py_DECREF(function_);
  Py_DECREF(arguments_);
  Py_XDECREF(named_);
}

void PythonCall::issue() {
  const py::gil_scoped_acquire gil;
  if (PyObject* const result = PyObject_Call(function_, arguments_, named_); result != nullptr) [[likely]] {
    Py_DECREF(result);
    return;
  }
  py::error_already_set raised;
  if (raise_ == Raise::AsItIs) throw raised;
  const ErrorInfo failure = failureOf(name_, raised);
  throw BadInput(failure.message, failure.remedy, failure.place);
}

}  // namespace opscope::python
