// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/minimap.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "plots/theme.h"
#include "plots/timeline_plot.h"
#include "state/colours.h"

namespace opscope::ui {

Minimap::Minimap(Selection& selection, TimelinePlot& timeline, QWidget* parent)
    : QWidget(parent), selection_(selection), timeline_(timeline) {
  setAccessibleName(tr("Overview of the pass"));
  setToolTip(tr("The whole pass: a click goes there"));
  setFixedHeight(26);
  connect(&selection_, &Selection::changed, this, &Minimap::follow);
  connect(&selection_.indexes(), &PassIndexes::ready, this, &Minimap::follow);
  connect(&timeline_, &TimelinePlot::viewChanged, this, [this] { update(); });
  follow();
}

QRectF Minimap::area() const {
  // The same edges as the timeline above.
  const QRect plot = timeline_.axisRect()->rect();
  return QRectF(plot.left(), 3, std::max(1, plot.width()), height() - 6);
}

double Minimap::xOf(Ns at) const {
  return area().left() + area().width() * static_cast<double>(at - extent_.start) /
                             static_cast<double>(std::max<Ns>(1, extent_.length()));
}

void Minimap::follow() {
  const Selected& now = selection_.now();
  const auto before = index_;
  index_.reset();
  if (now.passOrNull()) index_ = selection_.indexes().of(now.run->passes[static_cast<std::size_t>(now.pass)]);
  if (index_ && index_ != before) {
    const auto& marks = index_->pass().trace.iterations;
    const auto& busy = index_->busy();
    extent_ = marks.empty() ? Interval{0, 1} : Interval{marks.front().called, marks.back().drained};
    if (!busy.empty()) {
      extent_ = {std::min(extent_.start, busy.front().start), std::max(extent_.end, busy.back().end)};
    }
    shares_.clear();
  }
  update();
}

void Minimap::draw() {
  const auto columns = static_cast<std::size_t>(area().width());
  shares_.assign(columns, 0);
  const auto& busy = index_->busy();
  const double step = static_cast<double>(extent_.length()) / static_cast<double>(columns);
  std::size_t at = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const Interval column{extent_.start + std::llround(step * static_cast<double>(c)),
                          extent_.start + std::llround(step * static_cast<double>(c + 1))};
    while (at < busy.size() && busy[at].end <= column.start) ++at;
    Ns sum = 0;
    for (std::size_t i = at; i < busy.size() && busy[i].start < column.end; ++i) {
      sum += std::min(busy[i].end, column.end) - std::max(busy[i].start, column.start);
    }
    if (sum > 0) shares_[c] = static_cast<float>(static_cast<double>(sum) / std::max(1.0, step));
  }
}

QRectF Minimap::viewRect() const {
  if (!index_ || timeline_.lanes().lanes.empty()) return {};
  const Ns origin = timeline_.lanes().origin;
  const QRectF all = area();
  const double from = std::max(all.left(), xOf(origin + std::llround(timeline_.transform().start())));
  const double to = std::min(all.right(), xOf(origin + std::llround(timeline_.transform().end())));
  // A view of one iteration is often less than a pixel of its pass.
  const double width = std::max(3.0, to - from);
  return QRectF(std::min(from, all.right() - width), all.top() - 2, width, all.height() + 4);
}

void Minimap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const PlotTheme theme = plotTheme(palette());
  painter.fillRect(rect(), theme.background);
  const QRectF all = area();
  painter.fillRect(all, theme.band);
  if (!index_) return;
  if (shares_.size() != static_cast<std::size_t>(all.width())) draw();
  const QColor colour = implementationColour(index_->pass().implementation);
  for (std::size_t c = 0; c < shares_.size(); ++c) {
    if (shares_[c] <= 0) continue;
    const double height = std::max(2.0, all.height() * std::min(1.0, static_cast<double>(shares_[c])));
    painter.fillRect(QRectF(all.left() + static_cast<double>(c), all.bottom() - height, 1, height), colour);
  }
  painter.setPen(theme.faint);
  painter.setFont(font());
  painter.drawText(QRectF(0, 0, all.left() - 8, this->height()), Qt::AlignRight | Qt::AlignVCenter,
                   tr("pass"));
  const QRectF view = viewRect();
  if (view.isNull()) return;
  QColor shade = theme.accent;
  shade.setAlpha(60);
  painter.fillRect(view, shade);
  painter.setPen(QPen(theme.accent, 1.5));
  painter.drawRect(view);
}

void Minimap::goTo(double x) {
  if (!index_ || timeline_.lanes().lanes.empty()) return;
  const double at = static_cast<double>(extent_.start) +
                    (x - area().left()) / area().width() * static_cast<double>(extent_.length());
  const Ns time =
      std::llround(std::clamp(at, static_cast<double>(extent_.start), static_cast<double>(extent_.end)));
  if (timeline_.mode() == TimelineMode::Pass) {
    timeline_.showFrom(static_cast<double>(time - timeline_.lanes().origin) -
                       timeline_.transform().span() / 2);
    return;
  }
  const auto& marks = index_->pass().trace.iterations;
  auto found = std::upper_bound(marks.begin(), marks.end(), time,
                                [](Ns t, const IterationMark& mark) { return t < mark.called; });
  if (found != marks.begin()) --found;
  if (found == marks.end()) return;
  selection_.selectIteration(selection_.now().pass, static_cast<std::int32_t>(found - marks.begin()));
}

void Minimap::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) goTo(event->position().x());
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) goTo(event->position().x());
}

void Minimap::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  shares_.clear();
}

}  // namespace opscope::ui
