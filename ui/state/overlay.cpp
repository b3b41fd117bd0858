// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/overlay.h"

#include <algorithm>

namespace opscope::ui {
namespace {

using BlurKey = std::pair<std::string, GapCause>;

BlurKey blurKey(const Pass& pass, LaneKind kind, std::uint32_t index) {
  if (kind == LaneKind::Gaps) return {{}, pass.gaps[index].cause};
  if (kind == LaneKind::Stream || kind == LaneKind::Stray) {
    return {pass.trace.names.text(pass.trace.kernels[index].nameId), GapCause::Undecided};
  }
  return {};
}

}  // namespace

OverlayBlurs overlay(const Run& run, std::uint32_t implementation, bool withNumbers) {
  OverlayBlurs blurs;
  std::map<OverlayBlurs::Key, std::map<BlurKey, std::vector<Interval>>> collected;
  for (const auto& pass : run.passes) {
    if (pass->implementation != implementation) continue;
    const PassIndex index(pass);
    for (std::uint32_t i = 0; i < pass->trace.iterations.size(); ++i) {
      const IterationLanes laid = layOut(index, i, withNumbers);
      ++blurs.iterations;
      blurs.extent.start = std::min(blurs.extent.start, laid.extent.start);
      blurs.extent.end = std::max(blurs.extent.end, laid.extent.end);
      for (const Lane& lane : laid.lanes) {
        auto& to = collected[{lane.kind, lane.id, lane.subLane}];
        for (const LaneItem& item : lane.items) {
          to[blurKey(*pass, lane.kind, item.index)].push_back({item.start, item.end});
        }
      }
    }
  }
  for (auto& [key, parts] : collected) {
    auto& to = blurs.lanes[key];
    for (auto& [what, intervals] : parts) {
      to.push_back({what.first, what.second, Coverage(intervals, blurs.iterations)});
    }
  }
  return blurs;
}

IterationLanes withBlurs(IterationLanes shown, const OverlayBlurs& blurs) {
  shown.of = blurs.iterations;
  shown.extent.start = std::min(shown.extent.start, blurs.extent.start);
  shown.extent.end = std::max(shown.extent.end, blurs.extent.end);
  for (const auto& [key, parts] : blurs.lanes) {
    const auto& [kind, id, subLane] = key;
    auto lane = std::find_if(shown.lanes.begin(), shown.lanes.end(),
                             [&, k = kind, i = id, s = subLane](const Lane& one) {
                               return one.kind == k && one.id == i && one.subLane == s;
                             });
    if (lane == shown.lanes.end()) {
      // In the order of layOut(): kinds as they are declared, then stream, then sub-lane.
      const auto after = std::find_if(shown.lanes.begin(), shown.lanes.end(), [&key = key](const Lane& one) {
        return OverlayBlurs::Key{one.kind, one.id, one.subLane} > key;
      });
      lane = shown.lanes.insert(after, {kind, id, subLane, {}, {}});
    }
    lane->blurs = parts;
  }
  return shown;
}

}  // namespace opscope::ui
