// SPDX-License-Identifier: Apache-2.0
#include "failures.h"

#include <fmt/format.h>

namespace opscope::python {

namespace py = pybind11;

py::object exceptionOf(const ErrorInfo& failure, bool copyOnly) {
  const py::object make = py::module_::import("opscope.errors").attr("_make");
  return make(copyOnly ? std::string("CopyOnly") : std::string(nameOf(failure.code)), failure.message,
              failure.remedy, failure.place.file, failure.place.line, failure.place.column);
}

void translateErrors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const py::object exception = exceptionOf(error.info());
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    }
  });
}

ErrorInfo failureOf(const std::string& name, const py::error_already_set& raised) {
  ErrorInfo failure{
      .code = ErrorCode::BadInput,
      .message = fmt::format("{} raised {}: {}", name, std::string(py::str(raised.type().attr("__name__"))),
                             std::string(py::str(raised.value()))),
      .remedy = "Correct the callable, or leave it out."};
  py::object frame = raised.trace();
  while (frame && !frame.is_none()) {
    const py::object code = frame.attr("tb_frame").attr("f_code");
    failure.place.file = py::str(code.attr("co_filename"));
    failure.place.line = frame.attr("tb_lineno").cast<int>();
    frame = frame.attr("tb_next");
  }
  return failure;
}

}  // namespace opscope::python
