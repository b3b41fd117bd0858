// SPDX-License-Identifier: Apache-2.0
#include "session/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "session/schema.h"
#include "session/summary_rows.h"
#include "trace/intervals.h"

namespace opscope {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What "tid" is in the trace: lanes from top to bottom, each with room for what overlaps in it.
constexpr int kIterationLane = 1, kFirstRangeLane = 10, kRangeLanes = 490, kFirstHostLane = 500,
              kBusyLane = 1'000, kGapLane = 1'001, kFirstStreamLane = 2'000, kRoomForOverlap = 100,
              kFirstCopyLane = 1'000'000;

std::optional<Ns> earliestOf(const Run& run) {
  std::optional<Ns> first;
  const auto earlier = [&first](Ns at) { first = first ? std::min(*first, at) : at; };
  for (const auto& pass : run.passes) {
    for (const KernelRecord& r : pass->trace.kernels) earlier(r.start);
    for (const MemopRecord& r : pass->trace.memops) earlier(r.start);
    for (const LaunchRecord& r : pass->trace.launches) earlier(r.start);
    for (const OverheadRecord& r : pass->trace.overheads) earlier(r.start);
    for (const RangeRecord& r : pass->trace.ranges) earlier(r.known == RangeKnown::End ? r.end : r.start);
    for (const IterationMark& r : pass->trace.iterations) earlier(r.called);
  }
  return first;
}

// Rows in which nothing overlaps: viewers lose what overlaps in one thread.
class Rows {
 public:
  int rowOf(Ns start, Ns end) {
    const auto free =
        std::find_if(ends_.begin(), ends_.end(), [start](Ns reached) { return reached <= start; });
    const auto row = static_cast<int>(free - ends_.begin());
    if (free == ends_.end())
      ends_.push_back(end);
    else
      *free = end;
    return std::min(row, kRoomForOverlap - 1);
  }

 private:
  std::vector<Ns> ends_;
};

class Writer {
 public:
  explicit Writer(const Run& run) : run_(run) {
    // Not 0: an instant of 0 stands for "none" in many places.
    constexpr Ns kBefore = kMicrosecond;
    origin_ = earliestOf(run).value_or(0) - kBefore;
  }

  std::string write();

 private:
  std::string time(Ns at) const { return length(at - origin_); }
  static std::string length(Ns ns) {
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", std::abs(ns) / 1000, std::abs(ns) % 1000);
  }
  void event(const std::string& text) {
    out_ += first_ ? "\n" : ",\n";
    out_ += text;
    first_ = false;
  }
  void complete(std::string_view category, const std::string& quotedName, int lane, Ns start, Ns end,
                const std::string& args) {
    event(fmt::format(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
                      category, quotedName, process_, lane, time(start), length(end - start), args));
  }
  void nameProcess(const std::string& name);
  void nameLane(int lane, const std::string& name);
  std::uint32_t correlation(std::uint32_t id) {
    return ids_.try_emplace(id, static_cast<std::uint32_t>(nextId_ + ids_.size())).first->second;
  }
  const std::string& name(const Trace& trace, std::uint32_t id);

  void pass(const Pass& pass);
  void iterations(const Pass& pass);
  void ranges(const Pass& pass);
  void launches(const Pass& pass);
  void busyAndGaps(const Pass& pass, const Attribution& attribution);
  void kernels(const Pass& pass, const Attribution& attribution);
  void memops(const Pass& pass);

  const Run& run_;
  std::string out_;
  bool first_ = true;
  Ns origin_ = 0;
  int process_ = 0;
  std::uint64_t iterationsSoFar_ = 0;
  std::uint64_t nextId_ = 1;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;  // of this pass
  std::unordered_map<std::uint32_t, std::string> names_;  // of this pass, quoted
  std::unordered_map<std::uint32_t, int> laneOfLaunch_;   // by correlation id
};

void Writer::nameProcess(const std::string& name) {
  event(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}}}})", process_,
                    quoted(name)));
  event(fmt::format(
      R"({{"ph":"M","name":"process_sort_index","pid":{0},"tid":0,"args":{{"sort_index":{0}}}}})", process_));
}

void Writer::nameLane(int lane, const std::string& name) {
  event(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", process_,
                    lane, quoted(name)));
  event(fmt::format(
      R"({{"ph":"M","name":"thread_sort_index","pid":{0},"tid":{1},"args":{{"sort_index":{1}}}}})", process_,
      lane));
}

const std::string& Writer::name(const Trace& trace, std::uint32_t id) {
  std::string& known = names_[id];
  if (known.empty()) known = quoted(trace.names.text(id));
  return known;
}

void Writer::iterations(const Pass& pass) {
  nameLane(kIterationLane, "iterations, from call to return");
  for (std::size_t i = 0; i < pass.trace.iterations.size(); ++i) {
    const IterationMark& mark = pass.trace.iterations[i];
    complete("user_annotation", fmt::format("\"ProfilerStep#{}\"", iterationsSoFar_++), kIterationLane,
             mark.called, std::max(mark.called, mark.issued),
             fmt::format(R"("pass":{},"iteration":{})", pass.pass, i));
  }
}

// Whole ranges are annotations, which an import reads again. What is known by one of its ends alone is an
// instant: a length would be made up.
void Writer::ranges(const Pass& pass) {
  const std::vector<RangeRecord>& all = pass.trace.ranges;
  const auto from = [](const RangeRecord& r) { return r.known == RangeKnown::End ? r.end : r.start; };
  const auto to = [](const RangeRecord& r) { return r.known == RangeKnown::Beginning ? r.start : r.end; };
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return from(all[a]) != from(all[b]) ? from(all[a]) < from(all[b]) : to(all[a]) > to(all[b]);
  });
  std::map<std::uint32_t, Rows> threads;
  std::map<std::pair<std::uint32_t, int>, int> lanes;
  for (const std::uint32_t i : order) {
    const RangeRecord& range = all[i];
    const int row = threads[range.threadId].rowOf(from(range), to(range));
    const int next = kFirstRangeLane + std::min(static_cast<int>(lanes.size()), kRangeLanes - 1);
    const auto [at, fresh] = lanes.try_emplace({range.threadId, row}, next);
    if (fresh) nameLane(at->second, fmt::format("ranges, thread {}", range.threadId));
    const std::string domain = fmt::format(R"("domain":{})", name(pass.trace, range.domainId));
    if (range.known == RangeKnown::Whole && range.kind != RangeKind::Mark) {
      complete("user_annotation", name(pass.trace, range.nameId), at->second, range.start, range.end, domain);
      continue;
    }
    const char* const what = range.known == RangeKnown::Beginning ? "begins, and never ended"
                             : range.known == RangeKnown::End     ? "ends, and was begun before"
                                                                  : "mark";
    event(fmt::format(
        R"({{"ph":"i","s":"t","cat":"opscope_range","name":{},"pid":{},"tid":{},"ts":{},"args":{{{},"what":"{}"}}}})",
        name(pass.trace, range.nameId), process_, at->second, time(from(range)), domain, what));
  }
}

void Writer::launches(const Pass& pass) {
  std::map<std::uint32_t, int> lanes;
  const auto laneOf = [&](std::uint32_t thread) {
    const auto [at, fresh] = lanes.try_emplace(thread, kFirstHostLane + static_cast<int>(lanes.size()));
    if (fresh) nameLane(at->second, fmt::format("launches, thread {}", thread));
    return at->second;
  };
  for (const LaunchRecord& launch : pass.trace.launches) {
    const int lane = laneOf(launch.threadId);
    const std::uint32_t id = correlation(launch.correlationId);
    laneOfLaunch_[launch.correlationId] = lane;
    complete("cuda_runtime", name(pass.trace, launch.apiNameId), lane, launch.start, launch.end,
             fmt::format(R"("correlation":{})", id));
  }
  for (const OverheadRecord& overhead : pass.trace.overheads)
    complete("overhead", name(pass.trace, overhead.nameId), laneOf(overhead.threadId), overhead.start,
             overhead.end, "");
}

void Writer::busyAndGaps(const Pass& pass, const Attribution& attribution) {
  if (pass.failure) return;  // what was recorded is shown, and no number
  nameLane(kBusyLane, "BUSY");
  nameLane(kGapLane, "gaps");
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < attribution.iterations(); ++i) {
    intervals.clear();
    for (const std::uint32_t k : attribution.kernelsOf(i))
      intervals.push_back({pass.trace.kernels[k].start, pass.trace.kernels[k].end});
    for (const Interval& busy : unionOf(intervals))
      complete("opscope_busy", "\"busy\"", kBusyLane, busy.start, busy.end,
               fmt::format(R"("iteration":{})", i));
  }
  for (const Gap& gap : pass.gaps)
    complete(
        "opscope_gap", fmt::format("\"{}\"", nameOf(gap.cause)), kGapLane, gap.start, gap.end,
        fmt::format(
            R"("iteration":{},"copy_ns":{},"host_ns":{},"instrument_ns":{},"device_ns":{},"before":{},"after":{})",
            gap.iteration, gap.copy, gap.host, gap.instrument, gap.device,
            name(pass.trace, pass.trace.kernels[gap.before].nameId),
            name(pass.trace, pass.trace.kernels[gap.after].nameId)));
}

void Writer::kernels(const Pass& pass, const Attribution& attribution) {
  const Trace& trace = pass.trace;
  std::vector<std::uint32_t> order(trace.kernels.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.kernels[a].start < trace.kernels[b].start;
  });
  struct Stream {
    int lane = 0;
    Rows rows;
    std::map<int, bool> named;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Stream> streams;
  for (const std::uint32_t k : order) {
    const KernelRecord& kernel = trace.kernels[k];
    const auto [at, fresh] = streams.try_emplace({kernel.deviceId, kernel.streamId});
    if (fresh) at->second.lane = kFirstStreamLane + static_cast<int>(streams.size()) * kRoomForOverlap;
    const int lane = at->second.lane + at->second.rows.rowOf(kernel.start, kernel.end);
    if (bool& named = at->second.named[lane]; !named) {
      nameLane(lane, fmt::format("stream {}, device {}", kernel.streamId, kernel.deviceId));
      named = true;
    }
    const LaunchShape shape =
        kernel.shapeId < trace.shapes.size() ? trace.shapes[kernel.shapeId] : LaunchShape{};
    const std::uint32_t id = correlation(kernel.correlationId);
    complete("kernel", name(trace, kernel.nameId), lane, kernel.start, kernel.end,
             fmt::format(R"("device":{},"stream":{},"correlation":{},"registers per thread":{},)"
                         R"("static shared memory":{},"dynamic shared memory":{},"grid":[{},{},{}],)"
                         R"("block":[{},{},{}],"graph id":{},"graph node id":{})",
                         kernel.deviceId, kernel.streamId, id, shape.registersPerThread,
                         shape.staticSharedBytes, shape.dynamicSharedBytes, shape.gridX, shape.gridY,
                         shape.gridZ, shape.blockX, shape.blockY, shape.blockZ, kernel.graphId,
                         static_cast<std::int64_t>(kernel.graphNodeId)));
    // An arrow from the call that launched it.
    if (attribution.launchOf[k] == Attribution::kNoLaunch) continue;
    const LaunchRecord& launch = trace.launches[attribution.launchOf[k]];
    event(fmt::format(R"({{"ph":"s","id":{},"cat":"ac2g","name":"ac2g","pid":{},"tid":{},"ts":{}}})",
                      nextId_ + k, process_, laneOfLaunch_[launch.correlationId], time(launch.start)));
    event(fmt::format(R"({{"ph":"f","bp":"e","id":{},"cat":"ac2g","name":"ac2g","pid":{},"tid":{},"ts":{}}})",
                      nextId_ + k, process_, lane, time(kernel.start)));
  }
}

void Writer::memops(const Pass& pass) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> lanes;
  for (const MemopRecord& memop : pass.trace.memops) {
    const auto [at, fresh] =
        lanes.try_emplace({memop.deviceId, memop.streamId}, kFirstCopyLane + static_cast<int>(lanes.size()));
    if (fresh)
      nameLane(at->second,
               fmt::format("copies and fills, stream {}, device {}", memop.streamId, memop.deviceId));
    const bool set = memop.kind == MemopKind::Set;
    const std::string_view kind = memop.kind == MemopKind::CopyPeer ? "PtoP" : nameOf(memop.kind);
    complete(
        set ? "gpu_memset" : "gpu_memcpy", set ? "\"Memset\"" : fmt::format("\"Memcpy {}\"", kind),
        at->second, memop.start, memop.end,
        fmt::format(R"("device":{},"stream":{},"correlation":{},"bytes":{},"graph id":{})", memop.deviceId,
                    memop.streamId, correlation(memop.correlationId), memop.bytes, memop.graphId));
  }
}

void Writer::pass(const Pass& pass) {
  ++process_;
  const std::string implementation = pass.implementation < run_.implementations.size()
                                         ? run_.implementations[pass.implementation].name
                                         : fmt::format("implementation {}", pass.implementation);
  nameProcess(fmt::format("{}, pass {} of {}{}", implementation, pass.pass + 1, run_.passes.size(),
                          pass.failure ? fmt::format(": {}, no number", nameOf(pass.failure->code)) : ""));
  const Attribution attribution = groupByIteration(pass.trace);
  iterations(pass);
  ranges(pass);
  launches(pass);
  busyAndGaps(pass, attribution);
  kernels(pass, attribution);
  memops(pass);
  nextId_ += std::max<std::uint64_t>(ids_.size(), pass.trace.kernels.size());
  ids_.clear();
  names_.clear();
  laneOfLaunch_.clear();
}

std::string Writer::write() {
  const Json head{{"version", 1},
                  {"op", run_.op},
                  {"workload", run_.workload},
                  {"dtype", run_.dtype},
                  {"dimensions", dimensionsText(run_)},
                  {"device", run_.deviceName},
                  {"figures", run_.figures},
                  {"method", run_.method},
                  {"l2", run_.l2},
                  {"origin_ns", origin_}};
  out_ = fmt::format("{{\"opscope\":{},\n\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[",
                     head.dump(-1, ' ', false, Json::error_handler_t::replace));
  for (const auto& each : run_.passes) pass(*each);
  out_ += "\n]}\n";
  return std::move(out_);
}

}  // namespace

std::string chromeTrace(const Run& run) {
  return Writer(run).write();
}

}  // namespace opscope
