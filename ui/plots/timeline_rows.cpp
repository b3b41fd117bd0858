// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/timeline_rows.h"

#include <algorithm>
#include <array>
#include <map>

#include "state/colours.h"
#include "state/inspection.h"
#include "state/text.h"
#include "trace/ranges.h"

namespace opscope::ui {
namespace {

double naturalHeight(LaneKind kind, double line) {
  switch (kind) {
    case LaneKind::Busy:
    case LaneKind::Gaps:
      return line + 12;
    case LaneKind::Stream:
    case LaneKind::Stray:
      return line + 10;
    case LaneKind::Ranges:
    case LaneKind::Host:
    case LaneKind::Copies:
    case LaneKind::Marks:
    case LaneKind::Prepare:
      return line + 6;
  }
  return line;
}

// Pixels: a widget taller than this is more picture than a machine has room for.
constexpr double kTallest = 6'000;

bool mayBeThin(LaneKind kind) {
  return kind != LaneKind::Busy && kind != LaneKind::Gaps && kind != LaneKind::Marks;
}

/// Ten thousand streams get thin lanes; what they add up to keeps its height.
double thinnessOf(const IterationLanes& lanes, double line) {
  double fixed = 0;
  double thin = 0;
  for (const Lane& lane : lanes.lanes)
    (mayBeThin(lane.kind) ? thin : fixed) += naturalHeight(lane.kind, line);
  return fixed + thin > kTallest && fixed < kTallest ? (kTallest - fixed) / thin : 1;
}

class Looks {
 public:
  Looks(const Pass& pass, const RowStyle& style, TimelineRows& to)
      : trace_(pass.trace),
        gaps_(pass.gaps),
        style_(style),
        to_(to),
        byName_(2 * pass.trace.names.size(), kNone) {}

  void fill(const Lane& lane, BarRow& row) {
    const bool dark = style_.theme.dark;
    const QColor host = dark ? QColor(0x70, 0x78, 0x84) : QColor(0xb4, 0xbc, 0xc8);
    const QColor quiet = dark ? QColor(0x4a, 0x50, 0x58) : QColor(0xd2, 0xd6, 0xdc);
    const QColor copy = causeColour(GapCause::Copy);
    const QColor busy = implementationColour(style_.implementation);
    row.looks.reserve(lane.items.size());
    switch (lane.kind) {
      case LaneKind::Host:
        row.dense = host;
        for (const LaneItem& item : lane.items) {
          const std::uint32_t name = trace_.launches[item.index].apiNameId;
          row.looks.push_back(named(name, trace_.names.text(name), host, false));
        }
        break;
      case LaneKind::Ranges:
        row.dense = quiet;
        for (const LaneItem& item : lane.items) row.looks.push_back(ofRange(trace_.ranges[item.index]));
        break;
      case LaneKind::Busy:
        row.dense = busy;
        row.looks.assign(lane.items.size(), add({busy, Qt::SolidPattern, {}, true}));
        break;
      case LaneKind::Gaps:
        row.dense = causeColour(mostOf(lane));
        for (const LaneItem& item : lane.items) row.looks.push_back(ofCause(gaps_[item.index].cause));
        break;
      case LaneKind::Stream:
      case LaneKind::Stray:
        row.dense = style_.theme.faint;
        for (const LaneItem& item : lane.items) {
          const KernelRecord& kernel = trace_.kernels[item.index];
          const std::string& name = trace_.names.text(kernel.nameId);
          const bool faded = style_.filter.any() && !fits(kernel);
          row.looks.push_back(named(kernel.nameId, kernelBaseName(name), kernelColour(name, dark), faded));
        }
        break;
      case LaneKind::Copies:
        row.dense = copy;
        for (const LaneItem& item : lane.items) {
          const bool set = trace_.memops[item.index].kind == MemopKind::Set;
          std::uint32_t& look = set ? fill_ : copy_;
          if (look == kNone)
            look = add({copy, Qt::SolidPattern, set ? QObject::tr("fill") : QObject::tr("copy"), false});
          row.looks.push_back(look);
        }
        break;
      case LaneKind::Marks:
        row.dense = quiet;
        for (const LaneItem& item : lane.items) {
          row.looks.push_back(add({quiet, Qt::SolidPattern, QString::number(item.index), false}));
        }
        break;
      case LaneKind::Prepare:
        row.dense = quiet;
        row.looks.assign(lane.items.size(), add({quiet, Qt::SolidPattern, QObject::tr("prepare"), false}));
        break;
    }
    for (const Blur& blur : lane.blurs) {
      const bool stream = lane.kind == LaneKind::Stream || lane.kind == LaneKind::Stray;
      QColor colour = lane.kind == LaneKind::Gaps ? causeColour(blur.cause)
                      : stream                    ? kernelColour(blur.name, dark)
                                                  : row.dense;
      if (stream && style_.filter.any() && !style_.filter.fits(blur.name, lane.id)) colour = quiet;
      row.blurs.push_back({colour, blur.coverage});
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t add(BarLook look) {
    to_.looks.push_back(std::move(look));
    return static_cast<std::uint32_t>(to_.looks.size() - 1);
  }
  std::uint32_t named(std::uint32_t id, std::string_view label, const QColor& colour, bool faded) {
    const std::size_t at = 2 * std::size_t{id} + (faded ? 1 : 0);
    if (at >= byName_.size()) return add({colour, Qt::SolidPattern, text(label), false, faded});
    if (byName_[at] == kNone) byName_[at] = add({colour, Qt::SolidPattern, text(label), false, faded});
    return byName_[at];
  }
  /// Of one colour by its name; hatched where one of its ends is not where it is drawn.
  std::uint32_t ofRange(const RangeRecord& range) {
    const bool whole = range.known == RangeKnown::Whole && !crossesIterations(trace_, range);
    const auto [at, fresh] = ranges_.try_emplace({range.nameId, whole}, kNone);
    if (fresh)
      at->second = add({kernelColour(trace_.names.text(range.nameId), style_.theme.dark),
                        whole ? Qt::SolidPattern : Qt::BDiagPattern, rangeName(trace_, range), false});
    return at->second;
  }
  /// The cause that has most of the time.
  GapCause mostOf(const Lane& lane) const {
    std::array<Ns, kGapCauses> times{};
    for (const LaneItem& item : lane.items) {
      times[static_cast<std::size_t>(gaps_[item.index].cause)] += item.end - item.start;
    }
    return static_cast<GapCause>(std::max_element(times.begin(), times.end()) - times.begin());
  }
  std::uint32_t ofCause(GapCause cause) {
    const auto known = byCause_.find(cause);
    if (known != byCause_.end()) return known->second;
    return byCause_[cause] = add({causeColour(cause), causeHatch(cause), text(nameOf(cause)), true});
  }
  /// Names repeat: each is matched once.
  bool fits(const KernelRecord& kernel) {
    const auto known = fits_.find({kernel.nameId, kernel.streamId});
    if (known != fits_.end()) return known->second;
    return fits_[{kernel.nameId, kernel.streamId}] =
               style_.filter.fits(trace_.names.text(kernel.nameId), kernel.streamId);
  }

  const Trace& trace_;
  const std::vector<Gap>& gaps_;
  const RowStyle& style_;
  TimelineRows& to_;
  std::vector<std::uint32_t> byName_;
  std::map<GapCause, std::uint32_t> byCause_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> fits_;
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> ranges_;  // by name, and whether whole
  std::uint32_t fill_ = kNone;
  std::uint32_t copy_ = kNone;
};

}  // namespace

TimelineRows rowsOf(const IterationLanes& lanes, const Pass& pass, const RowStyle& style) {
  TimelineRows made;
  Looks looks(pass, style, made);
  double top = 0;
  const double thinness = thinnessOf(lanes, style.lineHeight);
  for (const Lane& lane : lanes.lanes) {
    BarRow row;
    row.top = top;
    row.height = naturalHeight(lane.kind, style.lineHeight) * (mayBeThin(lane.kind) ? thinness : 1);
    row.outlined = lanes.of > 0;
    top += row.height;
    row.bars = lane.items;
    looks.fill(lane, row);
    made.rows.push_back(std::move(row));
  }
  // Also here, off the GUI thread: a sum over all bars.
  for (BarRow& row : made.rows) row.sum(made.looks);
  return made;
}

}  // namespace opscope::ui
