// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <utility>

#include "bench.h"
#include "engine/environment.h"
#include "results.h"

namespace opscope::python {

namespace py = pybind11;

namespace {

// An option under its Python name; absent and None leave `value` as it is.
template <class Value>
void take(const py::dict& from, const char* key, Value& value) {
  if (!from.contains(key)) return;
  const py::object given = from[key];
  if (!given.is_none()) value = given.cast<Value>();
}

std::optional<Ns> milliseconds(const py::dict& from, const char* key) {
  double value = std::nan("");
  take(from, key, value);
  if (std::isnan(value)) return std::nullopt;
  constexpr double kDay = 86'400'000;
  if (value < 0 || value > kDay)
    throw BadInput(fmt::format("{} cannot be {} ms", key, value), "Give 0 or more.");
  return static_cast<Ns>(std::llround(value * 1e6));
}

L2Mode l2Of(const std::string& name) {
  if (const auto mode = l2ModeFromName(name)) return *mode;
  throw BadInput(fmt::format("There is no L2 mode '{}'", name), "There are: clean, zero, warm.");
}

Job jobOf(const py::dict& options) {
  Job job;
  Protocol& protocol = job.protocol;
  std::string l2 = "clean";
  take(options, "device", job.device);
  take(options, "baseline", job.baseline);
  take(options, "l2", l2);
  protocol.l2 = l2Of(l2);
  if (const auto budget = milliseconds(options, "warmup_ms")) protocol.warmupBudget = *budget;
  if (const auto budget = milliseconds(options, "measure_ms")) protocol.measureBudget = *budget;
  if (const auto limit = milliseconds(options, "settle_ms")) protocol.settleLimit = *limit;
  std::uint32_t iterations = 0;
  take(options, "iterations", iterations);
  if (iterations > 0) protocol.iterations = iterations;
  take(options, "blocks", protocol.blocks);
  take(options, "buffer_bytes", protocol.bufferBytes);
  if (protocol.bufferBytes <= 0) throw BadInput("buffer_bytes must be positive");
  return job;
}

/// Hands progress to Python and looks for a Ctrl-C, outside the iterations. Without the GIL.
class Watch {
 public:
  Watch(py::object progress, std::stop_source& stop) : progress_(std::move(progress)), stop_(stop) {}

  void operator()(const EngineEvent& event) {
    const auto* const update = std::get_if<JobProgress>(&event);
    if (update == nullptr || raised_) return;
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (progress_.is_none()) return;
      const Progress& now = update->progress;
      progress_(std::string(nameOf(now.phase)), now.implementation, now.pass, now.passes, now.iteration,
                now.iterations);
    } catch (py::error_already_set& error) {
      raised_.emplace(std::move(error));
      stop_.request_stop();
    }
  }
  /// What Python threw into the measurement, thrown again. With the GIL.
  void rethrow() {
    if (raised_) throw py::error_already_set(std::move(*raised_));
  }

 private:
  py::object progress_;
  std::stop_source& stop_;
  std::optional<py::error_already_set> raised_;
};

Result measure(const py::dict& op, const py::dict& options, const py::object& progress) {
  GivenOp given = givenOpOf(op, PythonCall::Raise::AsItIs);
  const Job job = jobOf(options);
  std::stop_source stop;
  Watch watch(progress, stop);
  std::shared_ptr<const Run> run;
  {
    const py::gil_scoped_release others;
    Bench& bench = Bench::instance();
    const Bench::Turn turn(bench);
    Device& device = bench.device(job.device);
    const EngineHandler handler = [&](const EngineEvent& event) { watch(event); };
    try {
      GivenMeasurement measurement(device, std::move(given), job, kCallersThread, handler, stop.get_token());
      measurement.measure();
      run = measurement.run();
    } catch (const DeviceLost&) {
      bench.forget(std::string(device.info().id));
      throw;
    }
  }
  watch.rethrow();
  return Result(std::move(run));
}

}  // namespace

GivenCall givenCallOf(const py::dict& call, PythonCall::Raise raise) {
  GivenCall given;
  take(call, "name", given.name);
  take(call, "doc", given.doc);
  // Shared, because a std::function is copied and Python objects must not be without the GIL.
  struct Parts {
    py::object function;
    py::tuple arguments;
    py::dict named;
    Parts(py::object f, py::tuple a, py::dict n)
        : function(std::move(f)), arguments(std::move(a)), named(std::move(n)) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    ~Parts() {
      const py::gil_scoped_acquire gil;
      function = py::object();
      arguments.release().dec_ref();
      named.release().dec_ref();
    }
  };
  const auto parts =
      std::make_shared<Parts>(call["function"], py::tuple(call["arguments"]), py::dict(call["named"]));
  given.prepare = [parts, raise, name = given.name] {
    const py::gil_scoped_acquire gil;
    return std::make_unique<PythonCall>(name, parts->function, parts->arguments, parts->named, raise);
  };
  return given;
}

GivenOp givenOpOf(const py::dict& op, PythonCall::Raise raise) {
  GivenOp given;
  given.family = "python";
  given.offThreadRemedy = kAutogradRemedy;
  take(op, "name", given.name);
  take(op, "workload", given.workload);
  take(op, "dtype", given.dtype);
  take(op, "dims", given.dims);
  take(op, "flops", given.flops);
  take(op, "bytes", given.bytes);
  take(op, "environment", given.environment);
  if (op.contains("stream") && !op["stream"].is_none()) given.stream = op["stream"].cast<std::uintptr_t>();
  for (const py::handle call : op["calls"]) given.calls.push_back(givenCallOf(call.cast<py::dict>(), raise));
  return given;
}

void defineMeasure(py::module_& module) {
  module.def("measure", &measure, py::arg("op"), py::arg("options"), py::arg("progress") = py::none(),
             "Measures the calls of an op on the calling thread; the opscope functions are made of this.");
  module.def("devices", [] {
    py::list list;
    std::vector<DeviceInfo> infos;
    {
      const py::gil_scoped_release others;
      infos = Bench::instance().devices();
    }
    for (const DeviceInfo& info : infos) {
      py::dict entry;
      entry["id"] = info.id;
      entry["name"] = info.name;
      entry["figures"] = std::string(nameOf(info.figures));
      entry["architecture"] = info.architecture;
      entry["memory_bytes"] = info.memoryBytes;
      entry["l2_bytes"] = info.l2Bytes;
      entry["versions"] = info.versions;
      list.append(entry);
    }
    return list;
  });
  module.def("diagnose", [] {
    py::list list;
    std::vector<Check> checks;
    {
      const py::gil_scoped_release others;
      checks = Bench::instance().diagnose();
    }
    constexpr std::array<const char*, 4> kStates{"ok", "info", "warning", "missing"};
    for (const Check& check : checks)
      list.append(py::make_tuple(kStates.at(static_cast<std::size_t>(check.state)), check.subject,
                                 check.sentence, check.remedy));
    return list;
  });
}

}  // namespace opscope::python
