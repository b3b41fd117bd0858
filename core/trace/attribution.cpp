// SPDX-License-Identifier: Apache-2.0
#include "trace/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/large_vector.h"

namespace opscope {
namespace {

constexpr std::uint32_t kNoIteration = ~std::uint32_t{0};
static_assert(Attribution::kNoLaunch == CorrelationIndex::kNone);

// Counting sort by iteration, so that 1e6 records cost two linear sweeps and small sorts inside iterations.
template <class Record>
void group(const std::vector<Record>& records, const std::vector<std::uint32_t>& iterationOf,
           std::size_t iterations, std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& from) {
  from.assign(iterations + 1, 0);
  for (const std::uint32_t i : iterationOf)
    if (i != kNoIteration) ++from[i + 1];
  std::partial_sum(from.begin(), from.end(), from.begin());
  assignLarge(order, from.back(), std::uint32_t{0});
  std::vector<std::uint32_t> next(from.begin(), from.end() - 1);
  for (std::uint32_t r = 0; r < records.size(); ++r)
    if (iterationOf[r] != kNoIteration) order[next[iterationOf[r]]++] = r;
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    const Record &x = records[a], &y = records[b];
    if (x.start != y.start) return x.start < y.start;
    if (x.end != y.end) return x.end < y.end;
    if (x.streamId != y.streamId) return x.streamId < y.streamId;
    return x.correlationId < y.correlationId;
  };
  for (std::size_t i = 0; i < iterations; ++i) {
    const auto begin = order.begin() + from[i], end = order.begin() + from[i + 1];
    if (!std::is_sorted(begin, end, earlier)) std::sort(begin, end, earlier);
  }
}

template <class Record>
std::vector<std::uint32_t> iterationsOf(const std::vector<Record>& records, const ExternalIds& ids,
                                        std::size_t iterations) {
  std::vector<std::uint32_t> found(records.size(), kNoIteration);
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::uint64_t id = ids[records[r].correlationId];
    if (id < iterations) found[r] = static_cast<std::uint32_t>(id);
  }
  return found;
}

template <class Record>
void requireTimestamps(const Record& record, std::string_view what) {
  if ((record.start != 0 || record.end != 0) && record.end >= record.start) return;
  throw TimestampsMissing(
      fmt::format("A {} record has no usable timestamps (start {}, end {}, correlation id {})", what,
                  record.start, record.end, record.correlationId),
      "Measure again; if it stays, the profiling driver of this device cannot be trusted.");
}

// A launch call of an iteration must have left something that the device ran. A graph may be empty: that is
// believed only while no graph launch of the pass ran anything.
class LaunchesWithoutWork {
 public:
  explicit LaunchesWithoutWork(const Trace& trace)
      : trace_(trace), index_(trace.launches), ran_(trace.launches.size(), 0) {}
  /// Returns the launch, or kNoLaunch.
  std::uint32_t ran(std::uint32_t correlationId) {
    const std::uint32_t at = index_[correlationId];
    if (at != CorrelationIndex::kNone) ran_[at] = 1;
    return at;
  }
  const LaunchRecord* first(const ExternalIds& ids) const {
    std::optional<bool> graphsRan;  // looked up only when a graph launch left nothing
    for (std::size_t l = 0; l < ran_.size(); ++l) {
      if (ran_[l]) continue;  // nearly all: their records are then not touched again
      const LaunchRecord& launch = trace_.launches[l];
      if (launch.kind == LaunchKind::Other || ids[launch.correlationId] >= trace_.iterations.size()) continue;
      if (launch.kind != LaunchKind::Graph) return &launch;
      if (!graphsRan) graphsRan = aGraphRan();
      if (*graphsRan) return &launch;
    }
    return nullptr;
  }

 private:
  bool aGraphRan() const {
    for (std::size_t l = 0; l < ran_.size(); ++l)
      if (ran_[l] && trace_.launches[l].kind == LaunchKind::Graph) return true;
    return false;
  }

  const Trace& trace_;
  CorrelationIndex index_;
  std::vector<char> ran_;
};

std::string nameOfKernel(const Trace& trace, const KernelRecord& kernel) {
  const std::string& name = trace.names.text(kernel.nameId);
  return name.empty() ? "a kernel without a name" : "'" + name + "'";
}

[[noreturn]] void refuseUnproven(const std::string& missing) {
  throw DropCounterUnproven(
      missing + ", and the count of dropped records was never seen to work, so nobody knows why",
      "Run `opscope doctor`; measure again when it shows the drop counter as proven.");
}

}  // namespace

Attribution groupByIteration(const Trace& trace) {
  const ExternalIds ids(trace.externalIds);
  const std::size_t n = trace.iterations.size();
  Attribution result;
  group(trace.kernels, iterationsOf(trace.kernels, ids, n), n, result.kernels, result.kernelsFrom);
  group(trace.memops, iterationsOf(trace.memops, ids, n), n, result.memops, result.memopsFrom);
  const CorrelationIndex launches(trace.launches);
  for (const KernelRecord& kernel : trace.kernels) result.launchOf.push_back(launches[kernel.correlationId]);
  return result;
}

Attribution attribute(const Trace& trace) {
  const ExternalIds ids(trace.externalIds);
  const std::size_t n = trace.iterations.size();
  LaunchesWithoutWork unmatched(trace);
  Attribution result;
  assignLarge(result.launchOf, trace.kernels.size(), Attribution::kNoLaunch);
  // One sweep over the kernels finds everything: a pass can hold a million.
  std::vector<std::uint32_t> iterationOf;
  assignLarge(iterationOf, trace.kernels.size(), kNoIteration);
  const KernelRecord* orphan = nullptr;
  for (std::size_t k = 0; k < trace.kernels.size(); ++k) {
    const KernelRecord& kernel = trace.kernels[k];
    requireTimestamps(kernel, "kernel");
    const std::uint64_t id = ids[kernel.correlationId];
    if (id < n)
      iterationOf[k] = static_cast<std::uint32_t>(id);
    else if (trace.isPing(id))
      result.pings.push_back(static_cast<std::uint32_t>(k));
    else if (id != kPrepareId && !orphan)
      orphan = &kernel;
    result.launchOf[k] = unmatched.ran(kernel.correlationId);
  }
  for (const MemopRecord& memop : trace.memops) {
    requireTimestamps(memop, "copy");
    unmatched.ran(memop.correlationId);
  }

  if (trace.dropped.records > 0)
    throw RecordsLost(fmt::format("{} records were dropped: the pass ran, but its record is incomplete",
                                  trace.dropped.records),
                      "Measure again with a larger record buffer.");
  if (const LaunchRecord* launch = unmatched.first(ids)) {
    const std::string missing = fmt::format(
        "The launch '{}' of iteration {} (correlation id {}) has no record of what the device ran",
        trace.names.text(launch->apiNameId), ids[launch->correlationId], launch->correlationId);
    if (!trace.dropped.proven) refuseUnproven(missing);
    throw RecordsLost(missing, "Measure again with a larger record buffer.");
  }
  if (orphan) {
    const std::string whose =
        fmt::format("The kernel {} carries no iteration number of this pass", nameOfKernel(trace, *orphan));
    if (!trace.dropped.proven) refuseUnproven(whose);
    throw OffThreadLaunch(
        whose +
            ": a thread that is not the launch thread launched it, or the call uses CUPTI's "
            "CUSTOM0 external id",
        "Let the call launch its own work on the calling thread; use CUSTOM1 or CUSTOM2 for your "
        "own ids.");
  }

  group(trace.kernels, iterationOf, n, result.kernels, result.kernelsFrom);
  group(trace.memops, iterationsOf(trace.memops, ids, n), n, result.memops, result.memopsFrom);
  for (std::size_t i = 0; i < n; ++i) {
    if (!result.kernelsOf(i).empty()) continue;
    if (const std::size_t copies = result.memopsOf(i).size(); copies > 0)
      throw NoKernel(
          fmt::format("Iteration {} ran no kernel: the call only copied ({} copies or fills)", i, copies),
          "Copies are not busy time; measure an implementation that computes in a kernel.");
    const std::string missing =
        fmt::format("Iteration {} ran no kernel: that call never reached the device", i);
    if (!trace.dropped.proven) refuseUnproven(missing);
    throw NoKernel(missing, "Check that the call launches its work on the stream it is given.");
  }
  return result;
}

std::set<std::string> kernelNames(const Trace& trace) {
  std::set<std::uint32_t> ids;
  const Attribution attribution = groupByIteration(trace);
  for (const std::uint32_t k : attribution.kernels) ids.insert(trace.kernels[k].nameId);
  std::set<std::string> names;
  for (const std::uint32_t id : ids) names.insert(trace.names.text(id));
  return names;
}

}  // namespace opscope
