// SPDX-License-Identifier: Apache-2.0
#include "serve.h"

#include <pybind11/stl.h>

#include <memory>

#include "base/error.h"
#include "bench.h"
#include "engine/given_calls.h"
#include "failures.h"
#include "host.h"
#include "measure.h"
#include "remote/standard_streams.h"

namespace opscope::python {

namespace py = pybind11;

namespace {

/// Ops that a Python object describes and makes. It is called on the engine's launch thread.
class PythonOps final : public GivenOps {
 public:
  /// `source` has ops(), a list of dictionaries, and make(op, workload, dtype, dims, device), a dictionary.
  explicit PythonOps(const py::object& source) {
    py::object make = source.attr("make");
    make_ = make.release().ptr();
    for (const py::handle entry : source.attr("ops")()) ops_.push_back(describe(entry.cast<py::dict>()));
  }
  ~PythonOps() override {
    const py::gil_scoped_acquire gil;
    Py_DECREF(make_);
  }
  PythonOps(const PythonOps&) = delete;
  PythonOps& operator=(const PythonOps&) = delete;

  std::vector<CatalogueInfo::Op> describe() const override { return ops_; }

  GivenOp make(const Job& job, Device& device) override {
    const bool host = device.info().kind == "host";
    // Before anything of the program's runs: it may prepare host ops.
    std::shared_ptr<void> lent;
    if (host) {
      Bench::instance().lendHost(&device);
      lent = std::shared_ptr<void>(nullptr, [](void*) {
        const py::gil_scoped_acquire gil;
        forgetHostOps();
        Bench::instance().lendHost(nullptr);
      });
    }
    const py::gil_scoped_acquire gil;
    try {
      const py::object made = py::reinterpret_borrow<py::object>(make_)(job.op, job.workload, job.dtype,
                                                                        job.dims, device.info().id);
      GivenOp op = givenOpOf(made.cast<py::dict>(), PythonCall::Raise::AsFailure);
      op.keep = lent;
      return op;
    } catch (py::error_already_set& raised) {
      const ErrorInfo failure = failureOf("making " + job.op, raised);
      throw BadInput(failure.message, failure.remedy, failure.place);
    }
  }

 private:
  static CatalogueInfo::Op describe(const py::dict& entry) {
    CatalogueInfo::Op op;
    op.name = entry["name"].cast<std::string>();
    op.family = "python";
    op.doc = entry["doc"].cast<std::string>();
    op.dtypes = entry["dtypes"].cast<std::vector<std::string>>();
    for (const auto& [label, dims] : entry["workloads"].cast<py::dict>())
      op.workloads.push_back(
          {label.cast<std::string>(), dims.cast<std::map<std::string, std::int64_t>>(), op.dtypes});
    for (const py::handle name : entry["implementations"])
      op.implementations.push_back(
          {name.cast<std::string>(), "", entry["devices"].cast<std::vector<std::string>>()});
    return op;
  }

  PyObject* make_ = nullptr;
  std::vector<CatalogueInfo::Op> ops_;
};

int serve(const py::object& source) {
  const py::gil_scoped_release others;
  // The source runs the program's own code, so it is asked once the protocol has the streams to itself.
  return remote::serveOnStandardStreams("opscope serve (Python)", [&] {
    std::shared_ptr<PythonOps> ops;
    {
      const py::gil_scoped_acquire gil;
      ops = std::make_shared<PythonOps>(source);
    }
    return makeLocalEngine({}, std::move(ops));
  });
}

}  // namespace

void defineServe(py::module_& module) {
  module.def("serve", &serve, py::arg("source"),
             "Speaks the protocol until the connection ends; returns the exit code.");
}

}  // namespace opscope::python
