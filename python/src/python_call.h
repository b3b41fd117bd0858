// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "device/call.h"

namespace opscope::python {

/// A callable with its arguments, as something that can be timed. It is called with the GIL, which is held
/// for the call alone: between two calls, while the device is waited for and cleared, other Python threads
/// run.
class PythonCall final : public Call {
 public:
  /// What becomes of a Python exception.
  enum class Raise {
    AsItIs,     ///< thrown as it is, and ends the measurement
    AsFailure,  ///< a BadInput with its text and place
  };
  /// Needs the GIL, as nothing else here does.
  PythonCall(std::string name, pybind11::object function, pybind11::tuple arguments, pybind11::dict named,
             Raise raise);
  ~PythonCall() override;
  /// Calls and lets go of what it returned, inside the iteration: what a program that ignores the result
  /// does.
  void issue() override;

 private:
  std::string name_;
  PyObject* function_;
  PyObject* arguments_;
  PyObject* named_;  // null without any
  Raise raise_;
};

}  // namespace opscope::python
