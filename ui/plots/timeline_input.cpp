// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "plots/interval_plottable.h"
#include "plots/pointing.h"
#include "plots/timeline_overlay.h"
#include "plots/timeline_plot.h"
#include "state/colours.h"
#include "state/inspection.h"
#include "state/ncu_command.h"
#include "state/text.h"

// What a hand does in the timeline.

namespace opscope::ui {
namespace {

constexpr double kBarReach = 4;  // px within which a click still means an interval
constexpr double kSnap = 7;      // px within which a range's end snaps to an edge

}  // namespace

std::optional<std::size_t> TimelinePlot::laneAt(double y) const {
  const double at = yAxis->pixelToCoord(y);
  const auto& rows = bars_->rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (at >= rows[i].top && at < rows[i].top + rows[i].height) return i;
  }
  return std::nullopt;
}

std::optional<TimelinePlot::Hit> TimelinePlot::hitAt(const QPointF& position) const {
  const auto lane = laneAt(position.y());
  if (!lane || !axisRect()->rect().contains(position.toPoint())) return std::nullopt;
  const auto& items = lanes_.lanes[*lane].items;
  const double at = transform_.nsAt(position.x());
  const double reach = kBarReach * transform_.nsPerPixel();
  const auto after =
      std::lower_bound(items.begin(), items.end(), at - reach,
                       [](const LaneItem& item, double t) { return static_cast<double>(item.end) < t; });
  std::optional<Hit> best;
  double bestDistance = reach;
  for (auto item = after; item != items.end() && static_cast<double>(item->start) <= at + reach; ++item) {
    const double distance =
        std::max({0.0, static_cast<double>(item->start) - at, at - static_cast<double>(item->end)});
    if (best && distance >= bestDistance) continue;
    best = Hit{*lane, static_cast<std::size_t>(item - items.begin())};
    bestDistance = distance;
    if (distance == 0) break;
  }
  return best;
}

double TimelinePlot::snapped(double ns, const QPointF& position) const {
  const auto lane = laneAt(position.y());
  if (!lane) return ns;
  const auto& items = lanes_.lanes[*lane].items;
  double best = ns;
  double bestDistance = kSnap * transform_.nsPerPixel();
  const auto consider = [&](Ns edge) {
    const double distance = std::abs(static_cast<double>(edge) - ns);
    if (distance > bestDistance) return;
    bestDistance = distance;
    best = static_cast<double>(edge);
  };
  const double reach = bestDistance;
  auto item = std::lower_bound(items.begin(), items.end(), ns - reach, [](const LaneItem& one, double t) {
    return static_cast<double>(one.end) < t;
  });
  for (; item != items.end() && static_cast<double>(item->start) <= ns + reach; ++item) {
    consider(item->start);
    consider(item->end);
  }
  return best;
}

void TimelinePlot::zoomBy(double factor) {
  const QPointF cursor = mapFromGlobal(QCursor::pos());
  const QRect area = axisRect()->rect();
  const bool inside = underMouse() && area.contains(cursor.toPoint());
  transform_.zoomAt(inside ? cursor.x() : area.center().x(), factor);
  applyView(true, true);
}

void TimelinePlot::panBy(double viewShare) {
  transform_.panPixels(viewShare * transform_.width());
  applyView(true, true);
}

void TimelinePlot::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  // With a modifier some systems report a vertical turn as a horizontal one.
  const int notches = turned.y() != 0 ? turned.y() : turned.x();
  if (notches == 0) return;
  const double turns = notches / 120.0;
  if (event->modifiers() & Qt::ShiftModifier) {
    transform_.panPixels(-turns * 0.1 * transform_.width());
  } else {
    const bool fine = event->modifiers() & Qt::ControlModifier;
    transform_.zoomAt(event->position().x(), std::pow(fine ? 0.95 : 0.8, turns));
  }
  applyView(true, true);
  event->accept();
}

void TimelinePlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  drag_ = {event->button(), event->position(), transform_.nsAt(event->position().x()), false};
  if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier)) {
    drag_.button = Qt::NoButton;
    setRuler(event->position(), !(event->modifiers() & Qt::AltModifier));
  }
  if (event->button() == Qt::MiddleButton) setCursor(Qt::ClosedHandCursor);
  event->accept();
}

void TimelinePlot::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  if (drag_.button == Qt::MiddleButton) {
    transform_.panPixels(drag_.from.x() - at.x());
    applyView(true, drag_.moved);
    drag_.from = at;
    drag_.moved = true;
    return;
  }
  if (drag_.button == Qt::LeftButton && index_) {
    if (!drag_.moved && std::abs(at.x() - drag_.from.x()) < kStill) return;
    drag_.moved = true;
    const bool snap = !(event->modifiers() & Qt::AltModifier);
    const double from = snap ? snapped(drag_.startNs, drag_.from) : drag_.startNs;
    const double to = snap ? snapped(transform_.nsAt(at.x()), at) : transform_.nsAt(at.x());
    selection_.selectRange(Interval{lanes_.origin + std::llround(std::min(from, to)),
                                    lanes_.origin + std::llround(std::max(from, to))});
    return;
  }
  const bool inside = axisRect()->rect().contains(at.toPoint()) && index_;
  overlay_->cursor = inside ? std::optional(transform_.nsAt(at.x())) : std::nullopt;
  repaintOverlay();
  Q_EMIT hovered(inside ? transform_.nsAt(at.x()) : std::numeric_limits<double>::quiet_NaN());

  const auto hit = inside ? hitAt(at) : std::nullopt;
  const bool same = hit.has_value() == hoveredHit_.has_value() &&
                    (!hit || (hit->lane == hoveredHit_->lane && hit->item == hoveredHit_->item));
  if (same) return;
  hoveredHit_ = hit;
  if (hit) {
    QToolTip::showText(event->globalPosition().toPoint() + QPoint(12, 8), tooltipOf(*hit), this);
  } else {
    QToolTip::hideText();
  }
}

void TimelinePlot::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag{});
  if (drag.button == Qt::MiddleButton) unsetCursor();
  if (drag.button != Qt::LeftButton || drag.moved || !index_) return;
  const auto hit = hitAt(event->position());
  Selected next = selection_.now();
  next.item = hit ? itemOf(*hit) : SelectedItem{};
  next.range.reset();
  if (hit && lanes_.lanes[hit->lane].kind == LaneKind::Marks) {
    next.iteration = static_cast<std::int32_t>(lanes_.lanes[hit->lane].items[hit->item].index);
    selection_.select(std::move(next));
    return;
  }
  // In a whole pass what is selected lies in an iteration of its own.
  if (const auto own = next.item.kind == SelectedItem::Kind::None ? -1 : iterationOf(next.item); own >= 0) {
    next.iteration = own;
  }
  if (hit && next.item.kind == SelectedItem::Kind::None) {
    // A stretch of BUSY is no record of its own: it becomes a range.
    const LaneItem& item = lanes_.lanes[hit->lane].items[hit->item];
    next.range = Interval{lanes_.origin + item.start, lanes_.origin + item.end};
  }
  selection_.select(std::move(next));
}

void TimelinePlot::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !index_) return;
  if (hitAt(event->position())) {
    frameSelection();
  } else {
    fitAll();
  }
}

void TimelinePlot::leaveEvent(QEvent* event) {
  overlay_->cursor.reset();
  hoveredHit_.reset();
  repaintOverlay();
  Q_EMIT hovered(std::numeric_limits<double>::quiet_NaN());
  QCustomPlot::leaveEvent(event);
}

void TimelinePlot::resizeEvent(QResizeEvent* event) {
  QCustomPlot::resizeEvent(event);
  placeRows();
  applyView(false);
}

void TimelinePlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  restyle();
}

std::optional<double> TimelinePlot::rulerA() const {
  return overlay_->rulerA;
}

std::optional<double> TimelinePlot::rulerB() const {
  return overlay_->rulerB;
}

void TimelinePlot::setRuler(const QPointF& position, bool snap) {
  if (!index_ || !axisRect()->rect().contains(position.toPoint())) return;
  const double ns = transform_.nsAt(position.x());
  const double at = std::round(snap ? snapped(ns, position) : ns);
  if (!overlay_->rulerA || overlay_->rulerB) {
    overlay_->rulerA = at;
    overlay_->rulerB.reset();
  } else {
    overlay_->rulerB = at;
  }
  updateOverlay();
  repaintOverlay();
}

void TimelinePlot::clearRulers() {
  overlay_->rulerA.reset();
  overlay_->rulerB.reset();
  repaintOverlay();
}

void TimelinePlot::contextMenuEvent(QContextMenuEvent* event) {
  const auto hit = index_ ? hitAt(event->pos()) : std::nullopt;
  const SelectedItem item = hit ? itemOf(*hit) : SelectedItem{};
  if (item.kind != SelectedItem::Kind::Kernel) return;
  const Trace& trace = index_->pass().trace;
  const KernelRecord& kernel = trace.kernels[item.index];
  const std::string name = trace.names.text(kernel.nameId);
  const std::string base(kernelBaseName(name));
  QMenu menu(this);
  menu.addAction(tr("Only stream %1").arg(kernel.streamId), this, [this, id = kernel.streamId] {
    KernelFilter next = filter_;
    next.streams.insert(id);
    setFilter(std::move(next));
  });
  menu.addAction(tr("Only %1").arg(shortName(text(base), 60)), this, [this, base] {
    KernelFilter next = filter_;
    next.names.insert(base);
    setFilter(std::move(next));
  });
  menu.addAction(tr("Show its source"), this, [this, base] { Q_EMIT sourceRequested(text(base)); });
  menu.addAction(tr("Copy the kernel's name"), this,
                 [name] { QApplication::clipboard()->setText(text(name)); });
  const NcuCommand ncu = ncuCommand(*selection_.now().run, *index_, item.index);
  QAction* profile = menu.addAction(tr("Copy the ncu command that profiles this launch"), this,
                                    [ncu] { QApplication::clipboard()->setText(ncu.command); });
  if (ncu.command.isEmpty()) {
    profile->setEnabled(false);
    profile->setText(tr("No ncu command: %1").arg(ncu.whyNot));
  }
  menu.exec(event->globalPos());
}

QString TimelinePlot::tooltipOf(const Hit& hit) const {
  const Lane& lane = lanes_.lanes[hit.lane];
  const LaneItem& item = lane.items[hit.item];
  const Pass& pass = index_->pass();
  const Trace& trace = pass.trace;
  const auto time = [](Ns ns) { return timeText(unitFor(static_cast<double>(ns)), static_cast<double>(ns)); };
  QStringList lines;
  switch (lane.kind) {
    case LaneKind::Host: {
      lines << text(trace.names.text(trace.launches[item.index].apiNameId)) << time(item.end - item.start);
      if (const auto kernel = index_->firstKernelOfLaunch(item.index)) {
        const KernelRecord& record = trace.kernels[*kernel];
        lines << tr("launches %1")
                     .arg(folded(shortName(text(kernelBaseName(trace.names.text(record.nameId))))));
        if (const Ns wait = record.start - trace.launches[item.index].end; wait >= 0)
          lines << tr("which starts %1 after the call").arg(time(wait));
      }
      break;
    }
    case LaneKind::Ranges: {
      const RangeRecord& range = trace.ranges[item.index];
      lines << rangeName(trace, range);
      if (range.known == RangeKnown::Whole && range.kind != RangeKind::Mark)
        lines << time(range.end - range.start);
      if (const QString words = rangeSentence(trace, range); !words.isEmpty()) lines << words;
      lines << tr("marked by the op on the host: in no figure");
      break;
    }
    case LaneKind::Busy:
      lines << tr("busy") << time(item.end - item.start);
      break;
    case LaneKind::Gaps:
      lines << text(nameOf(pass.gaps[item.index].cause)) << time(item.end - item.start)
            << gapSentence(pass, pass.gaps[item.index]);
      break;
    case LaneKind::Stream:
    case LaneKind::Stray:
    case LaneKind::Prepare: {
      const KernelRecord& kernel = trace.kernels[item.index];
      lines << folded(shortName(text(kernelBaseName(trace.names.text(kernel.nameId)))))
            << time(item.end - item.start);
      if (kernel.shapeId < trace.shapes.size()) {
        const LaunchShape& shape = trace.shapes[kernel.shapeId];
        lines << tr("grid %1, block %2")
                     .arg(extentText(shape.gridX, shape.gridY, shape.gridZ),
                          extentText(shape.blockX, shape.blockY, shape.blockZ));
      }
      if (lane.kind == LaneKind::Stray) lines << tr("launched by no iteration");
      if (lane.kind == LaneKind::Prepare) lines << tr("between two calls: in no iteration");
      break;
    }
    case LaneKind::Copies:
      lines << tr("copy, %1").arg(text(formatBytes(static_cast<double>(trace.memops[item.index].bytes))))
            << time(item.end - item.start) << tr("in no busy figure");
      break;
    case LaneKind::Marks:
      lines << tr("iteration %1").arg(item.index)
            << tr("%1 from call to drain").arg(time(item.end - item.start));
      break;
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace opscope::ui
