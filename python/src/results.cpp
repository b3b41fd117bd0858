// SPDX-License-Identifier: Apache-2.0
#include "results.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "failures.h"
#include "session/comparison.h"
#include "session/export.h"
#include "session/store.h"
#include "trace/attribution.h"
#include "trace/ranges.h"

namespace opscope::python {

namespace py = pybind11;

namespace {

double ms(double ns) {
  return ns * 1e-6;
}
double ms(Ns ns) {
  return static_cast<double>(ns) * 1e-6;
}

// A pass and which of its records belong to which iteration, shared by all its samples.
struct PassView {
  explicit PassView(std::shared_ptr<const Pass> from)
      : pass(std::move(from)), groups(groupByIteration(pass->trace)) {}
  std::shared_ptr<const Pass> pass;
  Attribution groups;
};

struct KernelView {
  std::string name;
  double startMs = 0;  // after the iteration's first kernel began
  double durationMs = 0;
  std::uint32_t stream = 0;
};

struct GapView {
  double startMs = 0;
  double durationMs = 0;
  std::string cause;
  double hostMs = 0, copyMs = 0, instrumentMs = 0, deviceMs = 0;
};

struct RangeView {
  std::string name, domain;
  std::optional<double> startMs, durationMs;  // nothing where an end of it was not recorded
  std::uint32_t thread = 0;
};

class SampleView {
 public:
  SampleView(std::shared_ptr<const PassView> view, std::uint32_t iteration)
      : view_(std::move(view)), iteration_(iteration) {}

  const Sample& sample() const { return view_->pass->samples[iteration_]; }
  const Pass& pass() const { return *view_->pass; }
  double issueMs() const {
    const IterationMark& mark = pass().trace.iterations[iteration_];
    return ms(mark.issued - mark.called);
  }
  std::vector<KernelView> kernels() const {
    std::vector<KernelView> kernels;
    const Trace& trace = pass().trace;
    for (const std::uint32_t k : view_->groups.kernelsOf(iteration_)) {
      const KernelRecord& record = trace.kernels[k];
      kernels.push_back({trace.names.text(record.nameId), ms(record.start - begin()),
                         ms(record.end - record.start), record.streamId});
    }
    return kernels;
  }
  std::vector<GapView> gaps() const {
    std::vector<GapView> gaps;
    for (const Gap& gap : pass().gaps)
      if (gap.iteration == iteration_)
        gaps.push_back({ms(gap.start - begin()), ms(gap.length()), std::string(nameOf(gap.cause)),
                        ms(gap.host), ms(gap.copy), ms(gap.instrument), ms(gap.device)});
    return gaps;
  }
  std::vector<RangeView> ranges() const {
    std::vector<RangeView> ranges;
    const Trace& trace = pass().trace;
    for (const RangeRecord& range : trace.ranges) {
      if (iterationOf(trace, range) != iteration_) continue;
      RangeView view{
          trace.names.text(range.nameId), trace.names.text(range.domainId), {}, {}, range.threadId};
      if (range.known != RangeKnown::End) view.startMs = ms(range.start - begin());
      if (range.known == RangeKnown::Whole) view.durationMs = ms(range.end - range.start);
      ranges.push_back(std::move(view));
    }
    return ranges;
  }
  std::string text() const {
    return fmt::format("Sample(device_busy_ms={:.6f}, latency_ms={:.6f}, n_kernels={}, n_memops={})",
                       ms(sample().busy), ms(sample().latency), sample().kernels, sample().memops);
  }

 private:
  Ns begin() const { return pass().trace.kernels[view_->groups.kernelsOf(iteration_).front()].start; }
  std::shared_ptr<const PassView> view_;
  std::uint32_t iteration_;
};

/// One implementation of a result. Its numbers raise what made it fail.
class ImplementationView {
 public:
  ImplementationView(std::shared_ptr<const Run> run, std::uint32_t index)
      : run_(std::move(run)), index_(index) {}

  const ImplementationResult& result() const { return run_->implementations[index_]; }
  const Run& run() const { return *run_; }

  py::object failure() const {
    if (!result().failure) return py::none();
    return exceptionOf(*result().failure, onlyCopied());
  }
  const ImplementationResult& numbers() const {
    if (result().failure) {
      const py::object exception = failure();
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
      throw py::error_already_set();
    }
    return result();
  }
  std::vector<SampleView> samples() const {
    numbers();
    std::vector<SampleView> samples;
    for (const auto& pass : run_->passes) {
      if (pass->implementation != index_) continue;
      const auto view = std::make_shared<const PassView>(pass);
      for (std::uint32_t i = 0; i < pass->samples.size(); ++i) samples.emplace_back(view, i);
    }
    return samples;
  }
  /// Wall time of an iteration of the timed loop: call, drain, clear.
  double iterationMs() const {
    double wall = 0, iterations = 0;
    for (const Pass* pass : run_->passesOf(index_)) {
      wall += static_cast<double>(pass->loopWall);
      iterations += static_cast<double>(pass->trace.iterations.size());
    }
    return iterations > 0 ? ms(wall / iterations) : 0;
  }

 private:
  bool onlyCopied() const {
    if (result().failure->code != ErrorCode::NoKernel) return false;
    for (const Pass* pass : run_->passesOf(index_)) {
      if (!pass->failure) continue;
      const Attribution groups = groupByIteration(pass->trace);
      for (std::size_t i = 0; i < groups.iterations(); ++i)
        if (groups.kernelsOf(i).empty()) return !groups.memopsOf(i).empty();
    }
    return false;
  }

  std::shared_ptr<const Run> run_;
  std::uint32_t index_;
};

std::vector<ImplementationView> implementationsOf(const Result& result) {
  std::vector<ImplementationView> views;
  for (std::uint32_t i = 0; i < result.run()->implementations.size(); ++i)
    views.emplace_back(result.run(), i);
  return views;
}

ImplementationView implementationNamed(const Result& result, const std::string& name) {
  const auto& all = result.run()->implementations;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  if (found == all.end()) throw py::key_error(name);
  return {result.run(), static_cast<std::uint32_t>(found - all.begin())};
}

py::list verdictsOf(const Result& result) {
  py::list verdicts;
  const Run& run = *result.run();
  if (!run.comparison) return verdicts;
  for (const AgainstBaseline& row : run.comparison->rows) {
    py::dict verdict;
    verdict["implementation"] = run.implementations[row.implementation].name;
    verdict["baseline"] = run.implementations[run.comparison->baseline].name;
    verdict["verdict"] = std::string(nameOf(row.verdict));
    verdict["reason"] = std::string(nameOf(row.reason));
    verdict["ratio"] = row.ratio;
    verdict["interval"] = row.interval ? py::object(py::make_tuple(row.interval->low, row.interval->high))
                                       : py::object(py::none());
    verdict["threshold"] = row.threshold.share;
    verdict["sentence"] = verdictSentence(run, *run.comparison, row);
    verdicts.append(verdict);
  }
  return verdicts;
}

void save(const Result& result, const std::filesystem::path& file) {
  const py::gil_scoped_release others;
  SessionWriter writer(file);
  writer.addRun(*result.run());
  writer.close();
}

void saveSession(const std::filesystem::path& file, const std::vector<Result>& results) {
  const py::gil_scoped_release others;
  Runs runs;
  for (const Result& result : results) runs.push_back(result.run());
  writeSession(file, runs);
}

std::vector<Result> loadSession(const std::filesystem::path& file) {
  const py::gil_scoped_release others;
  std::vector<Result> results;
  for (auto& run : readSession(file).runs) results.emplace_back(std::move(run));
  return results;
}

void defineSamples(py::module_& module) {
  py::class_<KernelView>(module, "Kernel", "One kernel of an iteration, as the device recorded it.")
      .def_readonly("name", &KernelView::name)
      .def_readonly("start_ms", &KernelView::startMs, "After the start of the iteration's first kernel.")
      .def_readonly("duration_ms", &KernelView::durationMs)
      .def_readonly("stream", &KernelView::stream)
      .def("__repr__", [](const KernelView& kernel) {
        return fmt::format("Kernel('{}', {:.6f} ms)", kernel.name, kernel.durationMs);
      });
  py::class_<GapView>(module, "Gap", "A time inside an iteration in which no kernel ran; its parts add up.")
      .def_readonly("start_ms", &GapView::startMs)
      .def_readonly("duration_ms", &GapView::durationMs)
      .def_readonly("cause", &GapView::cause,
                    "host-late, latency-exposed, queued, in-graph, copy, ..., undecided.")
      .def_readonly("host_ms", &GapView::hostMs)
      .def_readonly("copy_ms", &GapView::copyMs)
      .def_readonly("instrument_ms", &GapView::instrumentMs)
      .def_readonly("device_ms", &GapView::deviceMs)
      .def("__repr__",
           [](const GapView& gap) { return fmt::format("Gap({}, {:.6f} ms)", gap.cause, gap.durationMs); });
  py::class_<RangeView>(module, "Range",
                        "What the callable marked of itself by NVTX, on the host. It is in no figure.")
      .def_readonly("name", &RangeView::name)
      .def_readonly("domain", &RangeView::domain, "Who marks; empty for NVTX's default domain.")
      .def_readonly("start_ms", &RangeView::startMs,
                    "After the start of the iteration's first kernel, so mostly negative; None where it was "
                    "begun before the records.")
      .def_readonly("duration_ms", &RangeView::durationMs, "None where an end of it was not recorded.")
      .def_readonly("thread", &RangeView::thread)
      .def("__repr__", [](const RangeView& range) {
        const std::string length = range.durationMs ? fmt::format("{:.6f} ms", *range.durationMs)
                                   : range.startMs  ? "never ended"
                                                    : "begun before";
        return fmt::format("Range('{}', {})", range.name, length);
      });
  py::class_<SampleView>(module, "Sample", "One iteration's reading.")
      .def_property_readonly(
          "device_busy_ms", [](const SampleView& s) { return ms(s.sample().busy); },
          "The union of the kernels' execution intervals: the number.")
      .def_property_readonly(
          "latency_ms", [](const SampleView& s) { return ms(s.sample().latency); },
          "From the first kernel's start to the last one's end. An instrumented figure.")
      .def_property_readonly("gap_ms", [](const SampleView& s) { return ms(s.sample().gap()); })
      .def_property_readonly("n_kernels", [](const SampleView& s) { return s.sample().kernels; })
      .def_property_readonly(
          "n_memops", [](const SampleView& s) { return s.sample().memops; },
          "Copies and fills. They are in no other number.")
      .def_property_readonly("memop_ms", [](const SampleView& s) { return ms(s.sample().memopTime); })
      .def_property_readonly("issue_ms", &SampleView::issueMs, "How long the call took on the host.")
      .def_property_readonly("kernels", &SampleView::kernels)
      .def_property_readonly("gaps", &SampleView::gaps)
      .def_property_readonly("ranges", &SampleView::ranges,
                             "What the callable marked of itself (NVTX), in the order of its beginnings.")
      .def_property_readonly("pass_number", [](const SampleView& s) { return s.pass().pass; })
      .def("__repr__", &SampleView::text);
}

void defineStatistics(py::module_& module) {
  py::class_<Summary>(module, "Statistics", "Order statistics over all iterations of all passes.")
      .def_readonly("n", &Summary::n)
      .def_property_readonly("median_ms", [](const Summary& s) { return ms(s.median); })
      .def_property_readonly("p10_ms", [](const Summary& s) { return ms(s.p10); })
      .def_property_readonly("p90_ms", [](const Summary& s) { return ms(s.p90); })
      .def_property_readonly("min_ms", [](const Summary& s) { return ms(s.min); })
      .def_property_readonly("max_ms", [](const Summary& s) { return ms(s.max); })
      .def("__repr__", [](const Summary& s) {
        return fmt::format("Statistics(n={}, median_ms={:.6f}, p10_ms={:.6f}, p90_ms={:.6f})", s.n,
                           ms(s.median), ms(s.p10), ms(s.p90));
      });
  py::class_<ImplementationView>(
      module, "Implementation",
      "One implementation of a result. Its numbers raise its failure, where it has one.")
      .def_property_readonly("name", [](const ImplementationView& i) { return i.result().name; })
      .def_property_readonly("doc", [](const ImplementationView& i) { return i.result().doc; })
      .def_property_readonly("failure", &ImplementationView::failure,
                             "The exception that took its numbers; or None.")
      .def_property_readonly("device_busy", [](const ImplementationView& i) { return i.numbers().busy; })
      .def_property_readonly("latency", [](const ImplementationView& i) { return i.numbers().latency; })
      .def_property_readonly("gap", [](const ImplementationView& i) { return i.numbers().gap; })
      .def_property_readonly("n_kernels",
                             [](const ImplementationView& i) { return i.numbers().kernelsMedian; })
      .def_property_readonly("samples", &ImplementationView::samples)
      .def_property_readonly("iteration_ms", &ImplementationView::iterationMs,
                             "Wall time of one iteration of the timed loop: call, drain and clear.")
      .def_property_readonly(
          "tflops", [](const ImplementationView& i) { return flopsPerSecond(i.run(), i.numbers()) * 1e-12; })
      .def_property_readonly(
          "bandwidth_tbs",
          [](const ImplementationView& i) { return bytesPerSecond(i.run(), i.numbers()) * 1e-12; })
      .def("__repr__", [](const ImplementationView& i) {
        const ImplementationResult& result = i.result();
        if (result.failure)
          return fmt::format("Implementation('{}', {})", result.name, nameOf(result.failure->code));
        return fmt::format("Implementation('{}', device_busy {:.6f} ms)", result.name,
                           ms(result.busy.median));
      });
}

}  // namespace

void defineResults(py::module_& module) {
  defineSamples(module);
  defineStatistics(module);
  py::class_<Result>(module, "Result",
                     "What one measurement found: numbers, records and verdicts. Immutable.")
      .def_property_readonly("name", [](const Result& r) { return r.run()->op; })
      .def_property_readonly("workload", [](const Result& r) { return r.run()->workload; })
      .def_property_readonly("device", [](const Result& r) { return r.run()->deviceId; })
      .def_property_readonly("device_name", [](const Result& r) { return r.run()->deviceName; })
      .def_property_readonly(
          "figures", [](const Result& r) { return r.run()->figures; },
          "What the figures are of: GPU, host CPU or simulated.")
      .def_property_readonly("method", [](const Result& r) { return r.run()->method; })
      .def_property_readonly("l2", [](const Result& r) { return r.run()->l2; })
      .def_property_readonly("environment", [](const Result& r) { return r.run()->environment; })
      .def_property_readonly("implementations", &implementationsOf)
      .def("__getitem__", &implementationNamed)
      .def("__len__", [](const Result& r) { return r.run()->implementations.size(); })
      .def("__contains__",
           [](const Result& r, const std::string& name) {
             const auto& all = r.run()->implementations;
             return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
           })
      .def_property_readonly("verdicts", &verdictsOf,
                             "Each implementation against the baseline, as dictionaries.")
      .def_property_readonly("drift",
                             [](const Result& r) {
                               return r.run()->comparison ? driftSentence(*r.run()->comparison)
                                                          : std::string();
                             })
      .def_property_readonly("sentences", [](const Result& r) { return comparisonSentences(*r.run()); })
      .def_property_readonly("findings",
                             [](const Result& r) {
                               std::vector<std::string> sentences;
                               for (const Finding& finding : r.run()->findings)
                                 sentences.push_back(finding.sentence);
                               return sentences;
                             })
      .def(
          "table", [](const Result& r) { return runsTable({r.run()}); }, "The table of the command line.")
      .def(
          "markdown", [](const Result& r) { return runsMarkdown({r.run()}); }, "A table for a pull request.")
      .def(
          "json", [](const Result& r) { return runsJson({r.run()}); }, "Everything but raw records.")
      .def("save", &save, py::arg("path"), "Adds it to a session file, which is made when it is not there.")
      .def("__repr__", [](const Result& r) {
        return fmt::format("Result('{}', {} implementations, {})", r.run()->op,
                           r.run()->implementations.size(), r.run()->figures);
      });
  module.def("save_session", &saveSession, py::arg("path"), py::arg("results"));
  module.def("load_session", &loadSession, py::arg("path"));
}

}  // namespace opscope::python
