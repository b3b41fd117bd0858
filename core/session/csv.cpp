// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "session/comparison.h"
#include "session/csv_fields.h"
#include "session/efficiency.h"
#include "session/export.h"
#include "session/kept.h"
#include "session/summary_rows.h"
#include "trace/attribution.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPassColumns = "op,workload,dtype,implementation,block,pass,position,iteration";
constexpr std::string_view kContextColumns =
    "result,device,figures,method,l2,sm_clock_mhz,run,environment\r\n";

// The columns in front of and behind each row of a pass, the same for all its rows.
struct PassFields {
  std::string front;
  std::string back;
};

PassFields fieldsOf(const Run& run, std::size_t runNumber, const Pass& pass) {
  const ImplementationResult& result = run.implementations.at(pass.implementation);
  const auto clock = smClock({&pass});
  std::string clockText;
  if (clock)
    clockText =
        clock->low == clock->high ? csvNumber(clock->low) : fmt::format("{}-{}", clock->low, clock->high);
  PassFields fields;
  fields.front =
      fmt::format("{},{},{},{},{},{},{}", csvField(run.op), csvField(run.workload), csvField(run.dtype),
                  csvField(result.name), pass.block, pass.pass, pass.position);
  fields.back = csvLine({std::string(verificationMark(result.verification)), run.deviceName, run.figures,
                         pass.method, pass.l2, clockText, csvNumber(runNumber), environmentText(run)});
  return fields;
}

// Calls `row` for every pass whose implementation has a number: after a failure, no figure of it leaves.
template <class Row>
void forEachPass(const Runs& runs, Row row) {
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const auto& pass : runs[r]->passes)
      if (runs[r]->implementations.at(pass->implementation).hasNumber())
        row(fieldsOf(*runs[r], r + 1, *pass), *pass);
}

std::string causeColumns() {
  std::string columns;
  for (int cause = 0; cause < kGapCauses; ++cause) {
    std::string name(nameOf(static_cast<GapCause>(cause)));
    for (char& c : name)
      if (c == '-') c = '_';
    columns += fmt::format("gaps_{0},gaps_{0}_ns,", name);
  }
  return columns;
}

// Pooled statistics can lie half-way between two integers, never finer.
void addSummary(std::vector<std::string>& fields, const Summary& s) {
  for (const double value : {s.median, s.p10, s.p90, s.min, s.max, s.iqr}) fields.push_back(csvNumber(value));
}

constexpr std::size_t kNumberFields = 1 + 3 * 6 + 5 + 2 * kGapCauses + 2;

void addNumbers(std::vector<std::string>& fields, const Run& run, const ImplementationResult& result) {
  if (!result.hasNumber()) {
    fields.resize(fields.size() + kNumberFields);
    return;
  }
  fields.push_back(csvNumber(result.busy.n));
  addSummary(fields, result.busy);
  addSummary(fields, result.latency);
  addSummary(fields, result.gap);
  fields.push_back(csvNumber(result.kernelsMin));
  fields.push_back(csvNumber(result.kernelsMedian));
  fields.push_back(csvNumber(result.kernelsMax));
  fields.push_back(csvNumber(result.memopsMedian));
  fields.push_back(csvNumber(result.memopTimeMedian));
  GapTotals gaps = result.gaps;
  gaps.resize(kGapCauses);
  for (const GapTotal& total : gaps) {
    fields.push_back(csvNumber(total.count));
    fields.push_back(csvNumber(total.time));
  }
  fields.push_back(csvNumber(flopsPerSecond(run, result)));
  fields.push_back(csvNumber(bytesPerSecond(run, result)));
}

template <class T>
std::string numberOrEmpty(const std::optional<T>& value) {
  return value ? csvNumber(*value) : std::string();
}

constexpr std::string_view kEfficiencyColumns = "bound,efficiency,ceiling_per_s,ceiling_clock_ratio,";

// Empty without ceilings. The last one is empty, too, where the ceiling was not scaled by a clock.
void addEfficiency(std::vector<std::string>& fields, const Run& run, std::uint32_t implementation) {
  const auto efficiency = efficiencyOf(run, implementation);
  if (!efficiency) {
    fields.resize(fields.size() + 4);
    return;
  }
  fields.emplace_back(nameOf(efficiency->bound));
  fields.push_back(csvNumber(efficiency->share));
  fields.push_back(csvNumber(efficiency->ceiling));
  fields.push_back(numberOrEmpty(efficiency->clockRatio));
}

constexpr std::string_view kRatioColumns =
    "baseline,pooled_ratio,ratio,ratio_low,ratio_high,blocks_compared,verdict,verdict_reason,";

// Empty where there is nothing to compare with; the baseline has its own name and no ratio.
void addRatio(std::vector<std::string>& fields, const Run& run, std::uint32_t implementation) {
  const AgainstBaseline* row = run.comparison ? run.comparison->rowOf(implementation) : nullptr;
  const bool baseline = run.comparison && run.comparison->baseline == implementation;
  fields.push_back(row != nullptr || baseline ? run.implementations.at(run.comparison->baseline).name
                                              : std::string());
  if (row == nullptr) {
    fields.resize(fields.size() + 7);
    return;
  }
  fields.push_back(csvNumber(row->pooled));
  fields.push_back(numberOrEmpty(row->ratio));
  fields.push_back(row->interval ? csvNumber(row->interval->low) : std::string());
  fields.push_back(row->interval ? csvNumber(row->interval->high) : std::string());
  fields.push_back(csvNumber(row->blocks.size()));
  fields.emplace_back(nameOf(row->verdict));
  fields.emplace_back(nameOf(row->reason));
}

std::vector<std::string> summaryFields(const Run& run, std::size_t runNumber, std::uint32_t implementation) {
  const ImplementationResult& result = run.implementations[implementation];
  std::vector<std::string> fields{run.op, run.workload, run.dtype, dimensionsText(run), result.name};
  addNumbers(fields, run, result);
  addEfficiency(fields, run, implementation);
  addRatio(fields, run, implementation);
  fields.emplace_back(verificationMark(result.verification));
  fields.push_back(result.failure ? std::string(nameOf(result.failure->code)) : std::string());
  fields.push_back(result.failure ? describe(*result.failure) : std::string());
  const DropCount dropped = droppedIn(run);
  fields.push_back(dropped.proven ? csvNumber(dropped.records) : "unknown");
  fields.push_back(csvNumber(mostAttempts(run)));
  fields.push_back(csvNumber(run.seed));
  fields.push_back(csvNumber(run.blocks));
  fields.emplace_back(run.cancelled ? "1" : "0");
  fields.push_back(csvNumber(run.startedUnixNs));
  const auto clock = smClock(run.passesOf(implementation));
  fields.push_back(clock ? csvNumber(clock->low) : std::string());
  fields.push_back(clock ? csvNumber(clock->high) : std::string());
  for (const std::string& text :
       {run.deviceName, run.figures, run.method, run.l2, csvNumber(runNumber), environmentText(run)})
    fields.push_back(text);
  return fields;
}

}  // namespace

std::string summaryCsv(const Runs& runs) {
  std::string out = "op,workload,dtype,dimensions,implementation,n,";
  for (const char* quantity : {"busy", "latency", "gap"})
    for (const char* statistic : {"median", "p10", "p90", "min", "max", "iqr"})
      out += fmt::format("{}_{}_ns,", quantity, statistic);
  out += "kernels_min,kernels_median,kernels_max,memops_median,memop_time_median_ns,";
  out += causeColumns();
  out += "flops_per_s,bytes_per_s,";
  out += kEfficiencyColumns;
  out += kRatioColumns;
  out +=
      "result,failure,failure_text,dropped_records,attempts,seed,blocks,cancelled,"
      "started_unix_ns,sm_clock_low_mhz,sm_clock_high_mhz,device,figures,method,l2,run,environment\r\n";
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::uint32_t i = 0; i < runs[r]->implementations.size(); ++i)
      out += csvLine(summaryFields(*runs[r], r + 1, i));
  return out;
}

std::string comparisonCsv(const Runs& runs) {
  std::string out = fmt::format(
      "op,workload,dtype,dimensions,implementation,{}fixed_order_ratio,threshold,threshold_source,"
      "drift_per_pass,pass_step_ns,sentence,block_ratios,blocks,device,figures,method,l2,run,environment\r\n",
      kRatioColumns);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = *runs[r];
    if (!run.comparison) continue;
    for (const AgainstBaseline& row : run.comparison->rows) {
      std::vector<std::string> fields{run.op, run.workload, run.dtype, dimensionsText(run),
                                      run.implementations.at(row.implementation).name};
      addRatio(fields, run, row.implementation);
      fields.push_back(numberOrEmpty(row.fixedOrder));
      fields.push_back(csvNumber(row.threshold.share));
      fields.emplace_back(nameOf(row.threshold.source));
      const auto& drift = run.comparison->drift;
      fields.push_back(drift ? csvNumber(drift->perStep) : std::string());
      fields.push_back(drift ? csvNumber(drift->step) : std::string());
      fields.push_back(verdictSentence(run, *run.comparison, row));
      std::string ratios;
      for (const BlockRatio& block : row.blocks)
        ratios += fmt::format("{}{}:{}", ratios.empty() ? "" : " ", block.block, block.ratio);
      fields.push_back(std::move(ratios));
      for (const std::string& text : {csvNumber(run.blocks), run.deviceName, run.figures, run.method, run.l2,
                                      csvNumber(r + 1), environmentText(run)})
        fields.push_back(text);
      out += csvLine(fields);
    }
  }
  return out;
}

std::string samplesCsv(const Runs& runs) {
  std::string out = fmt::format("{},busy_ns,latency_ns,gap_ns,n_kernels,n_memops,memop_time_ns,{}",
                                kPassColumns, kContextColumns);
  forEachPass(runs, [&](const PassFields& fields, const Pass& pass) {
    for (std::size_t i = 0; i < pass.samples.size(); ++i) {
      const Sample& s = pass.samples[i];
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{}", fields.front, i, s.busy,
                     s.latency, s.gap(), s.kernels, s.memops, s.memopTime, fields.back);
    }
  });
  return out;
}

std::string kernelsCsv(const Runs& runs) {
  std::string out = fmt::format(
      "{},kernel,name,start_ns,end_ns,duration_ns,queued_ns,stream,correlation_id,graph_id,graph_node_id,"
      "grid_x,"
      "grid_y,grid_z,block_x,block_y,block_z,registers,static_shared_bytes,dynamic_shared_bytes,{}",
      kPassColumns, kContextColumns);
  forEachPass(runs, [&](const PassFields& fields, const Pass& pass) {
    const Attribution grouped = groupByIteration(pass.trace);
    for (std::size_t i = 0; i < grouped.iterations(); ++i) {
      std::size_t place = 0;
      for (const std::uint32_t index : grouped.kernelsOf(i)) {
        const KernelRecord& k = pass.trace.kernels[index];
        const LaunchShape s =
            k.shapeId < pass.trace.shapes.size() ? pass.trace.shapes[k.shapeId] : LaunchShape{};
        fmt::format_to(std::back_inserter(out),
                       "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", fields.front, i,
                       place++, csvField(pass.trace.names.text(k.nameId)), k.start, k.end, k.end - k.start,
                       k.queued, k.streamId, k.correlationId, k.graphId, k.graphNodeId, s.gridX, s.gridY,
                       s.gridZ, s.blockX, s.blockY, s.blockZ, s.registersPerThread, s.staticSharedBytes,
                       s.dynamicSharedBytes, fields.back);
      }
    }
  });
  return out;
}

std::string gapsCsv(const Runs& runs) {
  std::string out = fmt::format(
      "{},start_ns,end_ns,length_ns,copy_ns,host_ns,instrument_ns,device_ns,entered_ns,issued_ns,cause,one_"
      "cause,"
      "other_cause,kernel_before,kernel_after,{}",
      kPassColumns, kContextColumns);
  forEachPass(runs, [&](const PassFields& fields, const Pass& pass) {
    const auto kernelName = [&](std::uint32_t index) {
      return index < pass.trace.kernels.size()
                 ? csvField(pass.trace.names.text(pass.trace.kernels[index].nameId))
                 : std::string();
    };
    for (const Gap& g : pass.gaps) {
      const bool undecided = g.cause == GapCause::Undecided;
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                     fields.front, g.iteration, g.start, g.end, g.length(), g.copy, g.host, g.instrument,
                     g.device, g.entered, g.issued, nameOf(g.cause),
                     undecided ? nameOf(g.oneCause) : std::string_view(),
                     undecided ? nameOf(g.otherCause) : std::string_view(), kernelName(g.before),
                     kernelName(g.after), fields.back);
    }
  });
  return out;
}

std::vector<fs::path> writeCsvSet(const fs::path& folder, const Runs& runs) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error))
    throw CannotWrite(fmt::format("Cannot create the folder {}: {}", folder.string(),
                                  error ? error.message() : "something else has this name"),
                      "Choose another folder.");
  std::vector<fs::path> paths;
  const auto add = [&](const char* name, const std::string& text) {
    paths.push_back(folder / name);
    writeTextFile(paths.back(), text);
  };
  // A file with a header and no row would say that there was nothing, of runs that kept nothing.
  const auto anyKept = [&runs](RecordsKept kept) {
    return runs.empty() ||
           std::any_of(runs.begin(), runs.end(), [kept](const auto& run) { return keptOf(*run) <= kept; });
  };
  add("summary.csv", summaryCsv(runs));
  if (anyKept(RecordsKept::Summary)) add("samples.csv", samplesCsv(runs));
  if (anyKept(RecordsKept::All)) {
    add("kernels.csv", kernelsCsv(runs));
    add("gaps.csv", gapsCsv(runs));
  }
  add("comparison.csv", comparisonCsv(runs));
  add("passes.csv", passesCsv(runs));
  add("telemetry.csv", telemetryCsv(runs));
  if (const std::string counters = countersCsv(runs); !counters.empty()) add("counters.csv", counters);
  if (const std::string prequeued = prequeuedCsv(runs); !prequeued.empty()) add("prequeued.csv", prequeued);
  if (const std::string methods = methodsCsv(runs); !methods.empty()) add("methods.csv", methods);
  return paths;
}

}  // namespace opscope
