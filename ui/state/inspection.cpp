// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/inspection.h"

#include <algorithm>

#include "session/device_record.h"
#include "session/imported.h"
#include "state/text.h"
#include "state/verdict.h"
#include "trace/ranges.h"

namespace opscope::ui {
namespace {

using Rows = std::vector<InspectionRow>;

void addKernel(Rows& rows, const Run& run, const PassIndex& records, std::uint32_t index, Ns origin) {
  const Pass& pass = records.pass();
  const KernelRecord& kernel = pass.trace.kernels[index];
  rows.push_back({QObject::tr("Kernel"), {}});
  rows.push_back({{}, text(pass.trace.names.text(kernel.nameId)), true});
  rows.push_back({QObject::tr("length"), exactText(kernel.end - kernel.start)});
  rows.push_back({QObject::tr("start"), exactText(kernel.start - origin)});
  rows.push_back({QObject::tr("end"), exactText(kernel.end - origin)});
  rows.push_back({QObject::tr("stream"), QString::number(kernel.streamId)});
  if (kernel.shapeId < pass.trace.shapes.size()) {
    const LaunchShape& shape = pass.trace.shapes[kernel.shapeId];
    rows.push_back({QObject::tr("grid"), extentText(shape.gridX, shape.gridY, shape.gridZ)});
    rows.push_back({QObject::tr("block"), extentText(shape.blockX, shape.blockY, shape.blockZ)});
    if (shape.registersPerThread > 0) {
      rows.push_back({QObject::tr("registers"), QObject::tr("%1 per thread").arg(shape.registersPerThread)});
    }
    if (shape.staticSharedBytes + shape.dynamicSharedBytes > 0) {
      rows.push_back({QObject::tr("shared memory"), QObject::tr("%1 B static, %2 B dynamic")
                                                        .arg(shape.staticSharedBytes)
                                                        .arg(shape.dynamicSharedBytes)});
    }
    if (const auto occupancy = occupancyOf(valueIn(run.environment, "architecture"), shape)) {
      rows.push_back({QObject::tr("occupancy"), QObject::tr("%1 of %2 warps by its launch; %3 first")
                                                    .arg(occupancy->warps)
                                                    .arg(occupancy->warpsAtMost)
                                                    .arg(occupancyLimitText(occupancy->limit))});
    }
  }
  const auto launch = records.launchOfKernel(index);
  Ns issued = kernel.queued;
  if (launch) {
    const LaunchRecord& record = pass.trace.launches[*launch];
    if (issued == 0) issued = record.end;
    rows.push_back({QObject::tr("launched by"), text(pass.trace.names.text(record.apiNameId))});
    rows.push_back({QObject::tr("launch call"), exactText(record.end - record.start)});
  }
  if (issued != 0) {
    rows.push_back({QObject::tr("issued"), exactText(issued - origin)});
    rows.push_back({QObject::tr("queue delay"), exactText(kernel.start - issued)});
  } else {
    rows.push_back({QObject::tr("issued"), QObject::tr("unknown: no launch record")});
  }
  if (kernel.graphId != 0) rows.push_back({QObject::tr("graph"), QString::number(kernel.graphId)});
  rows.push_back({QObject::tr("correlation id"), QString::number(kernel.correlationId)});
}

void addGap(Rows& rows, const Pass& pass, const Gap& gap, Ns origin) {
  rows.push_back({QObject::tr("Gap: %1").arg(text(nameOf(gap.cause))), {}});
  rows.push_back({{}, gapSentence(pass, gap)});
  rows.push_back({QObject::tr("length"), exactText(gap.length())});
  rows.push_back({QObject::tr("start"), exactText(gap.start - origin)});
  rows.push_back({QObject::tr("end"), exactText(gap.end - origin)});
  rows.push_back({QObject::tr("host part"), exactText(gap.host)});
  rows.push_back({QObject::tr("device part"), exactText(gap.device)});
  rows.push_back({QObject::tr("copy part"), exactText(gap.copy)});
  rows.push_back({QObject::tr("instrument part"), exactText(gap.instrument)});
  const auto name = [&](std::uint32_t kernel) {
    return kernel < pass.trace.kernels.size() ? text(pass.trace.names.text(pass.trace.kernels[kernel].nameId))
                                              : QString();
  };
  rows.push_back({QObject::tr("before"), name(gap.before), true});
  rows.push_back({QObject::tr("after"), name(gap.after), true});
  if (gap.entered != 0) rows.push_back({QObject::tr("launch entered"), exactText(gap.entered - origin)});
  if (gap.issued != 0) rows.push_back({QObject::tr("issued"), exactText(gap.issued - origin)});
  if (pass.clock.launchLatency > 0) {
    rows.push_back({QObject::tr("launch latency, idle device"), exactText(pass.clock.launchLatency)});
  }
  rows.push_back({QObject::tr("clock uncertainty"),
                  pass.clock.known ? exactText(pass.clock.uncertainty()) : QObject::tr("unknown")});
}

QString experimentText(ExperimentResult result) {
  switch (result) {
    case ExperimentResult::Confirmed:
      return QObject::tr("the experiment confirms the label");
    case ExperimentResult::Disagrees:
      return QObject::tr("the experiment disagrees with the label: believe the experiment");
    case ExperimentResult::Host:
      return QObject::tr("the experiment lays the gap to the host");
    case ExperimentResult::Device:
      return QObject::tr("the experiment lays the gap to the device");
  }
  return {};
}

// What the pre-queued control says of the gaps at this place of the call.
void addExperiment(Rows& rows, const PassIndex& records, const Gap& gap, const ImplementationResult& result) {
  if (!result.prequeued) return;
  const PrequeuedResult& prequeued = *result.prequeued;
  if (prequeued.failure) {
    rows.push_back({QObject::tr("queued ahead"), sentenceText(prequeued.failure->message)});
    return;
  }
  const auto kernels = records.attribution().kernelsOf(gap.iteration);
  const auto position =
      static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), gap.after) - kernels.begin());
  for (const PrequeuedGap& known : prequeued.comparison.gaps) {
    if (known.position != position) continue;
    rows.push_back({QObject::tr("gaps here, median"), exactText(known.normal)});
    rows.push_back({QObject::tr("queued ahead, median"), exactText(known.held)});
    rows.push_back({QObject::tr("what the host cost"), exactText(known.hostCost())});
    rows.push_back(
        {{}, QObject::tr("When the whole call is queued ahead, %1.").arg(experimentText(known.result))});
  }
}

void addLaunch(Rows& rows, const PassIndex& records, std::uint32_t index, Ns origin) {
  const Pass& pass = records.pass();
  const LaunchRecord& launch = pass.trace.launches[index];
  rows.push_back({QObject::tr("Launch call"), {}});
  rows.push_back({{}, text(pass.trace.names.text(launch.apiNameId))});
  rows.push_back({QObject::tr("length"), exactText(launch.end - launch.start)});
  rows.push_back({QObject::tr("start"), exactText(launch.start - origin)});
  rows.push_back({QObject::tr("end"), exactText(launch.end - origin)});
  rows.push_back({QObject::tr("thread"), QString::number(launch.threadId)});
  if (const auto kernel = records.firstKernelOfLaunch(index)) {
    const KernelRecord& record = pass.trace.kernels[*kernel];
    rows.push_back({QObject::tr("kernel"), text(pass.trace.names.text(record.nameId)), true});
    rows.push_back({QObject::tr("kernel started after"), exactText(record.start - launch.end)});
  }
}

void addMemop(Rows& rows, const Pass& pass, std::uint32_t index, Ns origin) {
  const MemopRecord& memop = pass.trace.memops[index];
  rows.push_back({memop.kind == MemopKind::Set ? QObject::tr("Fill") : QObject::tr("Copy"), {}});
  rows.push_back({{}, QObject::tr("Not a kernel: its time is in no busy figure.")});
  rows.push_back({QObject::tr("length"), exactText(memop.end - memop.start)});
  rows.push_back({QObject::tr("start"), exactText(memop.start - origin)});
  rows.push_back({QObject::tr("end"), exactText(memop.end - origin)});
  rows.push_back({QObject::tr("bytes"), text(formatBytes(static_cast<double>(memop.bytes)))});
  rows.push_back({QObject::tr("stream"), QString::number(memop.streamId)});
}

void addMarkedRange(Rows& rows, const Pass& pass, const RangeRecord& range, Ns origin) {
  const Trace& trace = pass.trace;
  rows.push_back(
      {range.kind == RangeKind::Mark ? QObject::tr("Mark (NVTX)") : QObject::tr("Range (NVTX)"), {}});
  rows.push_back({{}, rangeName(trace, range)});
  if (range.known == RangeKnown::Whole && range.kind != RangeKind::Mark)
    rows.push_back({QObject::tr("length"), exactText(range.end - range.start)});
  if (range.known != RangeKnown::End) rows.push_back({QObject::tr("start"), exactText(range.start - origin)});
  if (range.known != RangeKnown::Beginning && range.kind != RangeKind::Mark)
    rows.push_back({QObject::tr("end"), exactText(range.end - origin)});
  if (const QString words = rangeSentence(trace, range); !words.isEmpty()) rows.push_back({{}, words});
  if (const std::string& domain = trace.names.text(range.domainId); !domain.empty())
    rows.push_back({QObject::tr("domain"), text(domain)});
  rows.push_back({QObject::tr("thread"), QString::number(range.threadId)});
  rows.push_back({{}, QObject::tr("What the op says of itself on the host: it is in no figure.")});
}

void addRange(Rows& rows, const Interval& range, const PassIndex& records, bool withNumbers, Ns origin) {
  const Trace& trace = records.pass().trace;
  std::vector<Interval> inside;
  std::size_t kernels = 0;
  for (std::uint32_t i = 0; i < records.attribution().iterations(); ++i) {
    // Nothing of an iteration runs before its call or after its drain.
    if (trace.iterations[i].drained < range.start || trace.iterations[i].called > range.end) continue;
    for (const std::uint32_t k : records.attribution().kernelsOf(i)) {
      const KernelRecord& kernel = trace.kernels[k];
      if (kernel.end <= range.start || kernel.start >= range.end) continue;
      ++kernels;
      inside.push_back({std::max(kernel.start, range.start), std::min(kernel.end, range.end)});
    }
  }
  rows.push_back({QObject::tr("Range"), {}});
  rows.push_back({QObject::tr("length"), exactText(range.length())});
  rows.push_back({QObject::tr("start"), exactText(range.start - origin)});
  rows.push_back({QObject::tr("end"), exactText(range.end - origin)});
  rows.push_back({QObject::tr("kernels"), QString::number(kernels)});
  if (withNumbers && range.length() > 0) {
    const Ns busy = covered(unionOf(std::move(inside)), range);
    rows.push_back({QObject::tr("busy"),
                    QStringLiteral("%1 (%2)").arg(
                        exactText(busy),
                        text(formatShare(static_cast<double>(busy) / static_cast<double>(range.length()))))});
  }
}

void addIteration(Rows& rows, const Selected& selected, const Pass& pass, bool withNumbers) {
  rows.push_back({QObject::tr("Iteration %1").arg(selected.iteration), {}});
  rows.push_back({QObject::tr("pass"), QObject::tr("%1 of %2, block %3")
                                           .arg(selected.pass + 1)
                                           .arg(selected.run->passes.size())
                                           .arg(pass.block + 1)});
  if (!withNumbers || static_cast<std::size_t>(selected.iteration) >= pass.samples.size()) return;
  const Sample& sample = pass.samples[static_cast<std::size_t>(selected.iteration)];
  rows.push_back({QObject::tr("busy"), exactText(sample.busy)});
  rows.push_back({QObject::tr("latency"), exactText(sample.latency)});
  rows.push_back({QObject::tr("gap"), exactText(sample.gap())});
  rows.push_back({QObject::tr("kernels"), QString::number(sample.kernels)});
  if (sample.memops > 0) {
    rows.push_back({QObject::tr("copies and fills"),
                    QStringLiteral("%1, %2").arg(sample.memops).arg(exactText(sample.memopTime))});
  }
}

void addRun(Rows& rows, const Run& run) {
  rows.push_back({QObject::tr("Run"), {}});
  rows.push_back({QObject::tr("op"), text(run.op)});
  rows.push_back({QObject::tr("workload"), text(run.workload) + QLatin1Char(' ') + text(run.dtype)});
  QStringList dims;
  for (const auto& [name, value] : run.dims) dims << QStringLiteral("%1 = %2").arg(text(name)).arg(value);
  if (!dims.isEmpty()) rows.push_back({QObject::tr("shape"), dims.join(QStringLiteral(", "))});
  rows.push_back({QObject::tr("device"), text(run.deviceName)});
  rows.push_back({QObject::tr("figures"), text(run.figures)});
  if (!isImported(run)) {  // who recorded a trace stands in its environment
    rows.push_back({QObject::tr("method"), text(run.method)});
    rows.push_back({QObject::tr("L2"), text(run.l2)});
    rows.push_back({QObject::tr("timestamp tick"), exactText(run.timestampTick)});
    rows.push_back({QObject::tr("seed"), QString::number(run.seed)});
  }
  rows.push_back({QObject::tr("started"), wallTimeText(run.startedUnixNs)});
  for (const auto& [name, value] : run.environment) rows.push_back({text(name), text(value)});
}

}  // namespace

QString extentText(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return QStringLiteral("%1 × %2 × %3").arg(x).arg(y).arg(z);
}

QString occupancyLimitText(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::Warps:
      return QObject::tr("warps");
    case OccupancyLimit::Blocks:
      return QObject::tr("blocks");
    case OccupancyLimit::Registers:
      return QObject::tr("registers");
    case OccupancyLimit::SharedMemory:
      return QObject::tr("shared memory");
  }
  return {};
}

QString rangeName(const Trace& trace, const RangeRecord& range) {
  if (range.known == RangeKnown::End) return QObject::tr("(begun before)");
  const std::string& name = trace.names.text(range.nameId);
  return name.empty() ? QObject::tr("(no name)") : text(name);
}

QString rangeSentence(const Trace& trace, const RangeRecord& range) {
  if (range.known == RangeKnown::End)
    return QObject::tr(
        "It was begun before the records of this pass, so neither its name nor its beginning is known.");
  if (range.known == RangeKnown::Beginning)
    return QObject::tr(
        "It did not end while this pass was recorded: it is drawn to the end of its iteration.");
  if (!crossesIterations(trace, range)) return {};
  const auto ended = iterationAt(trace.iterations, range.end);
  return ended ? QObject::tr("It ends in iteration %1: it is drawn to the edge of the one that is shown.")
                     .arg(*ended)
               : QObject::tr(
                     "It ends outside every iteration: it is drawn to the edge of the one that is shown.");
}

QString gapSentence(const Pass& pass, const Gap& gap) {
  const Ns late = gap.issued - gap.start;
  switch (gap.cause) {
    case GapCause::HostLate:
      return QObject::tr("The next launch was issued %1 after the device went idle.").arg(exactText(late));
    case GapCause::LatencyExposed:
      return QObject::tr(
                 "The next launch was issued %1 before the device went idle: too late to hide the launch "
                 "latency of %2.")
          .arg(exactText(-late), exactText(pass.clock.launchLatency));
    case GapCause::Queued:
      return QObject::tr(
                 "The next launch had been issued %1 before the device went idle; the records do not say "
                 "what it waited for.")
          .arg(exactText(-late));
    case GapCause::InGraph:
      return QObject::tr("Both kernels belong to one graph launch.");
    case GapCause::Copy:
      return QObject::tr("A copy or fill ran for %1 of it.").arg(exactText(gap.copy));
    case GapCause::Instrument:
      return QObject::tr("The instrument itself held the host for %1 of it.").arg(exactText(gap.instrument));
    case GapCause::NoLaunchRecord:
      return QObject::tr("Nobody recorded who launched the next kernel.");
    case GapCause::ClockSuspect:
      return QObject::tr("The next kernel started before its launch was entered: the clocks disagree.");
    case GapCause::Undecided:
      return QObject::tr("Either %1 or %2: the clock uncertainty of %3 straddles the boundary.")
          .arg(text(nameOf(gap.oneCause)), text(nameOf(gap.otherCause)), exactText(pass.clock.uncertainty()));
  }
  return {};
}

std::vector<InspectionRow> inspect(const Selected& selected, std::shared_ptr<const PassIndex> records) {
  Rows rows;
  if (!selected.run) return rows;
  const Run& run = *selected.run;
  const Pass* pass = selected.passOrNull();
  if (!pass) {
    addRun(rows, run);
    return rows;
  }
  const ImplementationResult* result = pass->implementation < run.implementations.size()
                                           ? &run.implementations[pass->implementation]
                                           : nullptr;
  const bool withNumbers = result && !result->failure && !pass->failure;
  if (result && result->failure) {
    rows.push_back({QObject::tr("No number: %1").arg(text(nameOf(result->failure->code))), {}});
    rows.push_back({{}, sentenceText(result->failure->message)});
    if (!result->failure->remedy.empty()) rows.push_back({{}, sentenceText(result->failure->remedy)});
  }
  if (selected.iteration >= 0 &&
      static_cast<std::size_t>(selected.iteration) < pass->trace.iterations.size()) {
    if (!records) {
      records =
          std::make_shared<const PassIndex>(selected.run->passes[static_cast<std::size_t>(selected.pass)]);
    }
    const Ns origin = records->originOf(static_cast<std::uint32_t>(selected.iteration));
    const std::uint32_t at = selected.item.index;
    using Kind = SelectedItem::Kind;
    if (selected.range) addRange(rows, *selected.range, *records, withNumbers, origin);
    if (selected.item.kind == Kind::Kernel && at < pass->trace.kernels.size())
      addKernel(rows, run, *records, at, origin);
    if (selected.item.kind == Kind::Gap && withNumbers && at < pass->gaps.size()) {
      addGap(rows, *pass, pass->gaps[at], origin);
      addExperiment(rows, *records, pass->gaps[at], *result);
    }
    if (selected.item.kind == Kind::Launch && at < pass->trace.launches.size())
      addLaunch(rows, *records, at, origin);
    if (selected.item.kind == Kind::Memop && at < pass->trace.memops.size())
      addMemop(rows, *pass, at, origin);
    if (selected.item.kind == Kind::Range && at < pass->trace.ranges.size())
      addMarkedRange(rows, *pass, pass->trace.ranges[at], origin);
    addIteration(rows, selected, *pass, withNumbers);
  }
  if (result) {
    rows.push_back({QObject::tr("Implementation"), {}});
    rows.push_back(
        {QObject::tr("name"), letterOf(pass->implementation) + QLatin1Char(' ') + text(result->name)});
    if (!result->doc.empty()) rows.push_back({{}, text(result->doc)});
  }
  addRun(rows, run);
  return rows;
}

}  // namespace opscope::ui
