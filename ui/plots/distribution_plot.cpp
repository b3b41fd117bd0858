// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/distribution_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plots/pointing.h"
#include "plots/time_ticker.h"
#include "session/kept.h"
#include "state/colours.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kMostSteps = 800;  // of a cumulative line: more are not seen

}  // namespace

DistributionPlot::DistributionPlot(Selection& selection, QWidget* parent)
    : QCustomPlot(parent),
      selection_(selection),
      followed_(selection.now()),
      seen_(*this, [this] { follow(); }) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Distribution of busy and latency"));
  setAccessibleDescription(
      tr("Histogram and cumulative share per implementation; a drag brushes iterations"));
  setNoAntialiasingOnDrag(true);
  plotLayout()->clear();
  said_ = new QCPTextElement(this);
  said_->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
  said_->setMargins(QMargins(12, 4, 0, 0));
  sides_[0].quantity = Brush::Quantity::Busy;
  sides_[1].quantity = Brush::Quantity::Latency;
  for (int i = 0; i < 2; ++i) {
    Side& side = sides_[static_cast<std::size_t>(i)];
    side.rect = new QCPAxisRect(this);
    plotLayout()->addElement(1, i, side.rect);
    side.ticker.reset(new TimeTicker);
    side.ticker->setTickCount(5);
    side.rect->axis(QCPAxis::atBottom)->setTicker(side.ticker);
    QCPAxis* right = side.rect->axis(QCPAxis::atRight);
    right->setVisible(true);
    right->setTickLabels(true);
    right->setRange(0, 104);
    right->ticker()->setTickCount(4);
    right->grid()->setVisible(false);
    side.rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(3);
    side.rect->setMinimumMargins(QMargins(8, 2, 8, 2));
    for (QCPAxis* axis : side.rect->axes()) {
      axis->setLayer(QStringLiteral("axes"));
      axis->grid()->setLayer(QStringLiteral("grid"));
      axis->setSubTicks(false);
    }
    side.brush = new QCPItemRect(this);
    side.brush->setClipAxisRect(side.rect);
    for (QCPItemPosition* corner : {side.brush->topLeft, side.brush->bottomRight}) {
      corner->setAxisRect(side.rect);
      corner->setAxes(side.rect->axis(QCPAxis::atBottom), side.rect->axis(QCPAxis::atLeft));
      corner->setTypeX(QCPItemPosition::ptPlotCoords);
      corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    side.brush->setVisible(false);
  }
  plotLayout()->addElement(0, 0, said_);
  plotLayout()->setRowStretchFactor(0, 0.001);
  plotLayout()->setRowSpacing(0);
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  rebuild();
}

void DistributionPlot::follow() {
  const Selected& now = selection_.now();
  const Selected before = std::exchange(followed_, now);
  if (now.run != before.run || now.implementation() != before.implementation()) {
    rebuild();
  } else if (now.brush != before.brush) {
    showBrush();
    replot(QCustomPlot::rpQueuedReplot);
  }
}

void DistributionPlot::fill(Side& side) {
  const auto run = selection_.now().run;
  side.shown = run ? distributionOf(*run, side.quantity, selection_.now().implementation()) : Distribution{};
  QCPAxis* bottom = side.rect->axis(QCPAxis::atBottom);
  QCPAxis* left = side.rect->axis(QCPAxis::atLeft);
  QCPAxis* right = side.rect->axis(QCPAxis::atRight);
  const bool any = !side.shown.series.empty();
  for (QCPAxis* axis : side.rect->axes()) axis->setTicks(any);
  if (!any) return;
  const Distribution& shown = side.shown;
  const auto low = static_cast<double>(shown.from);
  const auto width = static_cast<double>(shown.width);
  std::uint32_t highest = 1;
  for (const auto& series : shown.series) {
    const QColor colour = implementationColour(series.implementation);
    QColor light = colour;
    light.setAlpha(95);
    QVector<double> x{low};
    QVector<double> y{0};
    for (std::size_t b = 0; b < shown.bins; ++b) {
      x << low + width * static_cast<double>(b);
      y << series.counts[b];
      highest = std::max(highest, series.counts[b]);
    }
    x << low + width * static_cast<double>(shown.bins);
    y << 0;
    auto* bars = addGraph(bottom, left);
    bars->setData(x, y, true);
    bars->setLineStyle(QCPGraph::lsStepLeft);
    bars->setPen(QPen(colour, 1));
    bars->setBrush(light);
    QVector<double> at;
    QVector<double> share;
    const std::size_t n = series.sorted.size();
    const std::size_t step = std::max<std::size_t>(1, n / kMostSteps);
    at << low;
    share << 0;
    for (std::size_t i = 0; i < n; i += step) {
      at << static_cast<double>(series.sorted[i]);
      share << 100 * static_cast<double>(i + 1) / static_cast<double>(n);
    }
    at << low + width * static_cast<double>(shown.bins);
    share << 100;
    auto* line = addGraph(bottom, right);
    line->setData(at, share, true);
    line->setLineStyle(QCPGraph::lsStepLeft);
    line->setPen(QPen(colour, 2, series.implementation % 2 == 0 ? Qt::SolidLine : Qt::DashLine));
  }
  const double end = low + width * static_cast<double>(shown.bins);
  const double margin = std::max(width, 0.02 * (end - low));
  bottom->setRange(low - margin, end + margin);
  left->setRange(0, 1.08 * highest);
  side.ticker->setUnit(unitOf(*run));
  const QString unit = text(suffixOf(side.ticker->unit()));
  bottom->setLabel(side.quantity == Brush::Quantity::Busy ? tr("busy, %1").arg(unit)
                                                          : tr("latency, %1").arg(unit));
  left->setLabel(tr("iterations"));
  right->setLabel(tr("at most, %"));
}

void DistributionPlot::rebuild() {
  clearGraphs();
  const PlotTheme theme = plotTheme(palette());
  for (Side& side : sides_) {
    fill(side);
    QColor shade = theme.accent;
    shade.setAlpha(50);
    side.brush->setBrush(shade);
    side.brush->setPen(QPen(theme.accent, 1));
  }
  applyTheme(*this, theme, font());
  said_->setFont(font());
  said_->setTextColor(theme.faint);
  showBrush();
  replot(QCustomPlot::rpQueuedReplot);
}

void DistributionPlot::showBrush() {
  const Selected& now = selection_.now();
  for (Side& side : sides_) {
    const bool own = now.brush && now.brush->quantity == side.quantity && !side.shown.series.empty();
    side.brush->setVisible(own);
    if (!own) continue;
    side.brush->topLeft->setCoords(static_cast<double>(now.brush->from), 0);
    side.brush->bottomRight->setCoords(static_cast<double>(now.brush->to), 1);
  }
  if (!now.run) {
    said_->setText(tr("No run selected."));
    return;
  }
  std::size_t all = 0;
  std::size_t held = 0;
  for (const auto& pass : now.run->passes) {
    if (pass->implementation >= now.run->implementations.size() ||
        !now.run->implementations[pass->implementation].hasNumber())
      continue;
    all += pass->samples.size();
    if (!now.brush) continue;
    held += static_cast<std::size_t>(
        std::count_if(pass->samples.begin(), pass->samples.end(),
                      [&](const Sample& sample) { return now.brush->holds(sample); }));
  }
  QStringList names;
  for (const auto& series : sides_[0].shown.series) {
    names << letterOf(series.implementation) + QLatin1Char(' ') +
                 text(now.run->implementations[series.implementation].name);
  }
  const QString whose = names.join(QStringLiteral(", "));
  said_->setText(
      all == 0 && keptOf(*now.run) == RecordsKept::None ? keptText(now)
      : all == 0                                        ? tr("No implementation of this run has a number.")
      : now.brush
          ? tr("%1 of %2 iterations brushed; a click lets go. Shown: %3").arg(held).arg(all).arg(whose)
          : tr("Drag over values to brush their iterations. Shown: %1").arg(whose));
}

const DistributionPlot::Side* DistributionPlot::sideAt(const QPointF& position) const {
  for (const Side& side : sides_) {
    if (side.rect->rect().contains(position.toPoint()) && !side.shown.series.empty()) return &side;
  }
  return nullptr;
}

double DistributionPlot::pixelOf(Brush::Quantity quantity, Ns value) const {
  const Side& side = sides_[quantity == Brush::Quantity::Busy ? 0 : 1];
  return side.rect->axis(QCPAxis::atBottom)->coordToPixel(static_cast<double>(value));
}

void DistributionPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  dragged_ = sideAt(event->position());
  pressed_ = event->position();
}

void DistributionPlot::mouseMoveEvent(QMouseEvent* event) {
  if (!dragged_ || std::abs(event->position().x() - pressed_.x()) < kStill) return;
  const QCPAxis* axis = dragged_->rect->axis(QCPAxis::atBottom);
  const double a = axis->pixelToCoord(pressed_.x());
  const double b = axis->pixelToCoord(event->position().x());
  selection_.selectBrush(Brush{dragged_->quantity, static_cast<Ns>(std::floor(std::min(a, b))),
                               static_cast<Ns>(std::ceil(std::max(a, b)))});
}

void DistributionPlot::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = std::abs(event->position().x() - pressed_.x()) < kStill;
  if (event->button() == Qt::LeftButton && click) selection_.selectBrush(std::nullopt);
  dragged_ = nullptr;
}

void DistributionPlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
}

}  // namespace opscope::ui
