// SPDX-License-Identifier: Apache-2.0
#include "import/selection.h"

#include <algorithm>

#include "trace/correlation_index.h"

namespace opscope {
namespace {

template <class Record>
void selectFrom(const std::vector<Record>& records, const TraceSelection& selection,
                std::vector<Record>& to) {
  for (Record record : records) {
    if (!selection.has(record.deviceId, record.streamId)) continue;
    if (selection.range) {
      const bool outside = record.end < selection.range->start || record.start > selection.range->end ||
                           (record.end == selection.range->start && record.start < record.end) ||
                           (record.start == selection.range->end && record.start < record.end);
      if (outside) continue;
      record.start = std::max(record.start, selection.range->start);
      record.end = std::min(record.end, selection.range->end);
    }
    to.push_back(record);
  }
}

}  // namespace

bool TraceSelection::has(std::uint32_t deviceId, std::uint32_t streamId) const {
  if (device && *device != deviceId) return false;
  return streams.empty() || std::find(streams.begin(), streams.end(), streamId) != streams.end();
}

Trace select(const Trace& trace, const TraceSelection& selection, bool oneIteration) {
  Trace selected;
  selected.names = trace.names;
  selected.shapes = trace.shapes;
  selected.overheads = trace.overheads;
  selected.oneClock = trace.oneClock;
  selectFrom(trace.kernels, selection, selected.kernels);
  selectFrom(trace.memops, selection, selected.memops);

  const CorrelationIndex launches(trace.launches);
  std::vector<char> wanted(trace.launches.size(), 0);
  const auto want = [&](std::uint32_t correlationId) {
    if (const std::uint32_t at = launches[correlationId]; at != CorrelationIndex::kNone) wanted[at] = 1;
  };
  for (const KernelRecord& kernel : selected.kernels) want(kernel.correlationId);
  for (const MemopRecord& memop : selected.memops) want(memop.correlationId);
  for (std::size_t l = 0; l < wanted.size(); ++l)
    if (wanted[l] != 0) selected.launches.push_back(trace.launches[l]);

  if (!oneIteration) {
    selected.ranges = trace.ranges;  // the host's, whatever device is asked for
    selected.iterations = trace.iterations;
    selected.externalIds = trace.externalIds;
    return selected;
  }
  selected.iterations.resize(1);
  std::vector<std::uint32_t> ids;
  ids.reserve(selected.kernels.size() + selected.memops.size());
  for (const KernelRecord& kernel : selected.kernels) ids.push_back(kernel.correlationId);
  for (const MemopRecord& memop : selected.memops) ids.push_back(memop.correlationId);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (const std::uint32_t id : ids) selected.externalIds.push_back({0, id});
  return selected;
}

}  // namespace opscope
