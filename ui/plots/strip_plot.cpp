// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/strip_plot.h"

#include <QToolTip>
#include <cmath>
#include <limits>

#include "plots/strip_plottable.h"
#include "plots/time_ticker.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {

StripPlot::StripPlot(Selection& selection, QWidget* parent)
    : QCustomPlot(parent), selection_(selection), ticker_(new TimeTicker) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Iterations in the order they ran"));
  setAccessibleDescription(tr("One bar per iteration, pass by pass: busy below, gap on top"));
  xAxis->setTicks(false);
  xAxis->grid()->setVisible(false);
  yAxis->setTicker(ticker_);
  yAxis->setSubTicks(false);
  ticker_->setTickCount(3);
  bars_ = new StripPlottable(xAxis, yAxis);
  connect(&selection_, &Selection::changed, this, &StripPlot::follow);
  rebuild();
}

void StripPlot::showLive(std::shared_ptr<const Run> run) {
  if (run == live_) return;
  live_ = std::move(run);
  rebuild();
}

const StripLayout& StripPlot::layoutShown() const {
  return bars_->layout();
}

void StripPlot::follow(const Selected& now, const Selected& before) {
  if (live_) return;
  if (now.run != before.run) {
    rebuild();
    return;
  }
  if (now.pass == before.pass && now.iteration == before.iteration && now.brush == before.brush) return;
  showBrush();
  bars_->setSelected(now.pass >= 0 && now.iteration >= 0
                         ? std::optional(IterationRef{static_cast<std::uint32_t>(now.pass),
                                                      static_cast<std::uint32_t>(now.iteration)})
                         : std::nullopt);
  replot(QCustomPlot::rpQueuedReplot);
}

void StripPlot::showBrush() {
  const auto brush = live_ ? std::nullopt : selection_.now().brush;
  if (!brush) {
    bars_->setBrushed({});
    return;
  }
  bars_->setBrushed([brush = *brush](const StripBar& bar) {
    return brush.holds({.busy = bar.busy, .latency = bar.busy + bar.gap});
  });
}

void StripPlot::rebuild() {
  showBrush();
  const Selected& now = selection_.now();
  const auto run = live_ ? live_ : now.run;
  std::vector<QString> names;
  StripLayout layout;
  if (run) {
    layout = layOutStrip(*run);
    for (const auto& implementation : run->implementations) names.push_back(text(implementation.name));
    // A run in progress has no summary yet: its own bars say in which unit they read best.
    ticker_->setUnit(live_ ? unitFor(static_cast<double>(layout.top)) : unitOf(*run));
    yAxis->setLabel(tr("busy + gap, %1").arg(text(suffixOf(ticker_->unit()))));
  }
  yAxis->setTicks(run != nullptr);
  yAxis->setRange(0, static_cast<double>(layout.top));
  bars_->set(std::move(layout), std::move(names));
  bars_->setSelected(!live_ && now.pass >= 0 && now.iteration >= 0
                         ? std::optional(IterationRef{static_cast<std::uint32_t>(now.pass),
                                                      static_cast<std::uint32_t>(now.iteration)})
                         : std::nullopt);
  applyLooks();
  showAll();
}

void StripPlot::showAll() {
  xAxis->setRange(0, bars_->layout().width);
  replot(QCustomPlot::rpQueuedReplot);
}

void StripPlot::applyLooks() {
  const PlotTheme theme = plotTheme(palette());
  applyTheme(*this, theme, font());
  bars_->setTheme(theme);
  const QFontMetricsF metrics(font());
  // The same left edge as the timeline below.
  const int left = static_cast<int>(
      metrics.horizontalAdvance(QCoreApplication::translate("opscope::ui::TimelinePlot", "no iteration")) +
      18);
  axisRect()->setAutoMargins(QCP::msNone);
  axisRect()->setMargins(QMargins(left, static_cast<int>(metrics.height()) + 10, 14, 12));
}

double StripPlot::pixelOf(IterationRef iteration) const {
  const auto place = placeOf(bars_->layout(), iteration);
  return place ? xAxis->coordToPixel(*place) : std::numeric_limits<double>::quiet_NaN();
}

void StripPlot::wheelEvent(QWheelEvent* event) {
  const double turns = event->angleDelta().y() / 120.0;
  const double all = bars_->layout().width;
  const double at = xAxis->pixelToCoord(event->position().x());
  const QCPRange old = xAxis->range();
  const double size = std::clamp(old.size() * std::pow(0.8, turns), std::min(8.0, all), all);
  const double lower = std::clamp(at - (at - old.lower) / old.size() * size, 0.0, all - size);
  xAxis->setRange(lower, lower + size);
  replot(QCustomPlot::rpQueuedReplot);
  event->accept();
}

void StripPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || live_) return;
  if (const auto at = iterationAt(bars_->layout(), xAxis->pixelToCoord(event->position().x()))) {
    selection_.selectIteration(static_cast<std::int32_t>(at->pass), static_cast<std::int32_t>(at->iteration));
  }
}

void StripPlot::mouseMoveEvent(QMouseEvent* event) {
  const auto at = iterationAt(bars_->layout(), xAxis->pixelToCoord(event->position().x()));
  if (!at || !selection_.now().run || live_) {
    QToolTip::hideText();
    return;
  }
  const Pass& pass = *selection_.now().run->passes[at->pass];
  const auto& strip = bars_->layout().passes[at->pass];
  QString shown = tr("pass %1, iteration %2").arg(at->pass + 1).arg(at->iteration);
  if (!strip.failed && at->iteration < pass.samples.size()) {
    const Sample& sample = pass.samples[at->iteration];
    shown += tr("\nbusy %1\ngap %2")
                 .arg(timeText(ticker_->unit(), static_cast<double>(sample.busy)),
                      timeText(ticker_->unit(), static_cast<double>(sample.gap())));
  }
  QToolTip::showText(event->globalPosition().toPoint(), shown, this);
  if (event->buttons() & Qt::LeftButton) {
    selection_.selectIteration(static_cast<std::int32_t>(at->pass), static_cast<std::int32_t>(at->iteration));
  }
}

void StripPlot::mouseReleaseEvent(QMouseEvent*) {}

void StripPlot::mouseDoubleClickEvent(QMouseEvent*) {
  showAll();
}

void StripPlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyLooks();
  replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace opscope::ui
