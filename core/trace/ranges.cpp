// SPDX-License-Identifier: Apache-2.0
#include "trace/ranges.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace opscope {

std::vector<RangeRecord> rangesOf(std::span<const RangeEvent> events, std::uint32_t unnamed) {
  std::vector<RangeRecord> ranges;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> pushed;  // by thread and domain
  std::unordered_map<std::uint64_t, std::size_t> started;                              // by handle
  const auto begin = [&](const RangeEvent& event, RangeKind kind) {
    const bool mark = kind == RangeKind::Mark;
    ranges.push_back({event.at, mark ? event.at : 0, event.nameId, event.domainId, event.threadId, kind,
                      mark ? RangeKnown::Whole : RangeKnown::Beginning});
    return ranges.size() - 1;
  };
  const auto end = [&](std::size_t range, const RangeEvent& event) {
    ranges[range].end = event.at;
    ranges[range].known = RangeKnown::Whole;
  };
  const auto endAlone = [&](const RangeEvent& event, RangeKind kind) {
    ranges.push_back({0, event.at, unnamed, event.domainId, event.threadId, kind, RangeKnown::End});
  };
  for (const RangeEvent& event : events) {
    switch (event.what) {
      case RangeEvent::What::Push:
        pushed[{event.threadId, event.domainId}].push_back(begin(event, RangeKind::Nested));
        break;
      case RangeEvent::What::Pop: {
        std::vector<std::size_t>& open = pushed[{event.threadId, event.domainId}];
        if (open.empty()) {
          endAlone(event, RangeKind::Nested);
        } else {
          end(open.back(), event);
          open.pop_back();
        }
        break;
      }
      case RangeEvent::What::Start:
        started[event.handle] = begin(event, RangeKind::Free);
        break;
      case RangeEvent::What::End:
        if (const auto open = started.find(event.handle); open != started.end()) {
          end(open->second, event);
          started.erase(open);
        } else {
          endAlone(event, RangeKind::Free);
        }
        break;
      case RangeEvent::What::Mark:
        begin(event, RangeKind::Mark);
        break;
    }
  }
  return ranges;
}

std::optional<std::uint32_t> iterationAt(const std::vector<IterationMark>& iterations, Ns instant) {
  const auto after =
      std::upper_bound(iterations.begin(), iterations.end(), instant,
                       [](Ns at, const IterationMark& iteration) { return at < iteration.called; });
  if (after == iterations.begin() || instant > (after - 1)->drained) return std::nullopt;
  return static_cast<std::uint32_t>(after - iterations.begin() - 1);
}

std::optional<std::uint32_t> iterationOf(const Trace& trace, const RangeRecord& range) {
  return iterationAt(trace.iterations, range.known == RangeKnown::End ? range.end : range.start);
}

bool crossesIterations(const Trace& trace, const RangeRecord& range) {
  if (range.known != RangeKnown::Whole) return false;
  const auto begun = iterationAt(trace.iterations, range.start);
  return begun && iterationAt(trace.iterations, range.end) != begun;
}

}  // namespace opscope
