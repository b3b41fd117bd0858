// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/error.h"
#include "bench.h"
#include "device/host/launches.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"

namespace opscope::python {

namespace py = pybind11;

namespace {

const Catalogue& catalogue() {
  static const Catalogue known = Catalogue::load({resourceFolder() / "ops"});
  return known;
}

void spin(std::int64_t ns, const std::string& name, std::uint32_t stream) {
  constexpr std::int64_t kMost = 60'000'000'000;
  if (ns < 0 || ns > kMost)
    throw BadInput(fmt::format("A kernel cannot spin for {} ns", ns), "Give 0 to 60e9.");
  host::launch(
      Bench::instance().host(), name,
      [ns] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
        while (std::chrono::steady_clock::now() < end) {
        }
      },
      stream);
}

// One pair of buffers for all copies: what they hold is nobody's business, and it outlives every copy in
// flight.
void copy(std::size_t bytes, std::uint32_t stream) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  if (bytes == 0 || bytes > kMost)
    throw BadInput(fmt::format("A copy cannot have {} bytes", bytes), "Give 1 to 2^30.");
  static std::vector<std::byte> from, to;
  if (from.size() < bytes) {
    host::synchronise(Bench::instance().host());
    from.resize(bytes);
    to.resize(bytes);
  }
  host::copy(Bench::instance().host(), to.data(), from.data(), bytes, stream);
}

/// An op of the catalogue on the host device, with tensors of its own: something real to call from Python.
class HostOp {
 public:
  HostOp(const std::string& op, std::string implementation, std::string workload, const std::string& dtype,
         const std::map<std::string, std::int64_t>& dims)
      : implementation_(std::move(implementation)) {
    const OpSpec& spec = catalogue().op(op);
    if (workload.empty() && dims.empty() && !spec.workloads.empty()) workload = spec.workloads.front().label;
    const auto type = dtype.empty() ? std::optional(spec.dtypes.front()) : dtypeFromName(dtype);
    if (!type) throw UnknownName(fmt::format("There is no dtype '{}'", dtype));
    problem_ = makeProblem(spec, workload, *type, dims, 1);
    if (implementation_.empty()) {
      const auto names = spec.implementationsFor("host");
      if (names.empty()) throw NotSupported(fmt::format("{} has no host implementation", op));
      implementation_ = names.front();
    }
    all().insert(this);
    prepareOn(Bench::instance().hostOfThisThread());
  }
  ~HostOp() {
    all().erase(this);
    forget();
  }
  HostOp(const HostOp&) = delete;
  HostOp& operator=(const HostOp&) = delete;

  void issue() {
    Device& device = Bench::instance().hostOfThisThread();
    if (device_ != &device) prepareOn(device);
    call_->call().issue();
  }
  void forget() {
    call_.reset();
    tensors_.reset();
    device_ = nullptr;
  }
  std::string text() const { return fmt::format("<host op {}/{}>", problem_->op->name, implementation_); }

  static std::set<HostOp*>& all() {
    static std::set<HostOp*> ops;
    return ops;
  }

 private:
  void prepareOn(Device& device) {
    forget();
    tensors_ = std::make_unique<Tensors>(device, *problem_);
    call_ = std::make_unique<PreparedCall>(prepare(*tensors_, implementation_));
    device_ = &device;
  }

  std::string implementation_;
  std::optional<Problem> problem_;
  Device* device_ = nullptr;
  std::unique_ptr<Tensors> tensors_;
  std::unique_ptr<PreparedCall> call_;
};

}  // namespace

void forgetHostOps() {
  for (HostOp* op : HostOp::all()) op->forget();
}

void defineHost(py::module_& module) {
  module.def("host_spin", &spin, py::arg("ns"), py::arg("name") = "spin", py::arg("stream") = 0U);
  module.def("host_copy", &copy, py::arg("bytes"), py::arg("stream") = 0U);
  module.def(
      "host_synchronise", [] { host::synchronise(Bench::instance().host()); },
      py::call_guard<py::gil_scoped_release>());
  py::class_<HostOp>(module, "HostOp")
      .def(py::init<const std::string&, std::string, std::string, const std::string&,
                    const std::map<std::string, std::int64_t>&>(),
           py::arg("op"), py::arg("implementation") = "", py::arg("workload") = "", py::arg("dtype") = "",
           py::arg("dims") = std::map<std::string, std::int64_t>())
      .def("__call__", &HostOp::issue)
      .def("__repr__", &HostOp::text);
}

}  // namespace opscope::python
