// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/interval_plottable.h"

#include <algorithm>
#include <cmath>

#include "state/colours.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr double kThin = 8;  // px: no room for a line between two lanes

constexpr std::size_t kBarsPerBucket = 4;
constexpr std::size_t kMostBuckets = 1 << 16;

/// Time covered by a row's bars before an instant, and the first bar that ends there or later.
double coveredBefore(const BarRow& row, std::size_t& bar, double at) {
  const auto [low, high] = row.mayEndAfter(at);
  const auto found =
      std::lower_bound(row.bars.begin() + static_cast<std::ptrdiff_t>(low),
                       row.bars.begin() + static_cast<std::ptrdiff_t>(high), at,
                       [](const LaneItem& one, double t) { return static_cast<double>(one.end) < t; });
  bar = static_cast<std::size_t>(found - row.bars.begin());
  double sum = static_cast<double>(row.before[bar]);
  // A faded bar adds nothing.
  if (bar < row.bars.size() && static_cast<double>(row.bars[bar].start) < at &&
      row.before[bar + 1] > row.before[bar]) {
    sum += at - static_cast<double>(row.bars[bar].start);
  }
  return sum;
}

QRgb blend(const QColor& from, const QColor& to, double share) {
  const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
  return qRgb(part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue()));
}

}  // namespace

IntervalPlottable::IntervalPlottable(QCPAxis* time, QCPAxis* rows) : QCPAbstractPlottable(time, rows) {
  setSelectable(QCP::stNone);
  setAntialiased(false);
}

void IntervalPlottable::setRows(std::vector<BarRow> rows, std::vector<BarLook> looks) {
  rows_ = std::move(rows);
  looks_ = std::move(looks);
  for (BarRow& row : rows_) {
    if (row.before.size() != row.bars.size() + 1) row.sum(looks_);
  }
}

// A search through millions of bars waits for memory at every step. Where each stretch of time begins among
// them is looked up instead: what is left to search lies side by side.
std::pair<std::size_t, std::size_t> BarRow::mayEndAfter(double at) const {
  if (buckets.empty()) return {0, bars.size()};
  const double place = (at - static_cast<double>(bars.front().end)) * bucketsPerNs;
  if (!(place > 0)) return {0, 0};
  if (place >= static_cast<double>(buckets.size() - 1)) return {buckets[buckets.size() - 2], bars.size()};
  const auto bucket = static_cast<std::size_t>(place);
  // Rounding may take a neighbour's instant for its own: one bucket more on either side.
  return {buckets[bucket > 0 ? bucket - 1 : 0], buckets[std::min(bucket + 2, buckets.size() - 1)]};
}

void BarRow::sum(const std::vector<BarLook>& all) {
  buckets.clear();
  const std::size_t wanted = std::min(bars.size() / kBarsPerBucket, kMostBuckets);
  const double span = bars.empty() ? 0 : static_cast<double>(bars.back().end - bars.front().end);
  if (wanted > 1 && span > 0) {
    bucketsPerNs = static_cast<double>(wanted) / span;
    // [b] is the first bar that ends at the beginning of bucket b or later.
    buckets.resize(wanted + 1);
    std::size_t bar = 0;
    for (std::size_t b = 0; b <= wanted; ++b) {
      const double from = static_cast<double>(bars.front().end) + static_cast<double>(b) / bucketsPerNs;
      while (bar < bars.size() && static_cast<double>(bars[bar].end) < from) ++bar;
      buckets[b] = static_cast<std::uint32_t>(bar);
    }
  }
  before.assign(bars.size() + 1, 0);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    before[i + 1] = before[i] + (all[looks[i]].faded ? 0 : bars[i].end - bars[i].start);
  }
}

void IntervalPlottable::setColours(const QColor& background, const QColor& band, const QColor& separator) {
  background_ = background;
  band_ = band;
  separator_ = separator;
}

double IntervalPlottable::selectTest(const QPointF&, bool, QVariant*) const {
  return -1;
}

QCPRange IntervalPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
  QCPRange range;
  found = false;
  for (const BarRow& row : rows_) {
    if (row.bars.empty()) continue;
    const QCPRange own(static_cast<double>(row.bars.front().start), static_cast<double>(row.bars.back().end));
    range = found ? QCPRange(std::min(range.lower, own.lower), std::max(range.upper, own.upper)) : own;
    found = true;
  }
  return range;
}

QCPRange IntervalPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
  found = !rows_.empty();
  return found ? QCPRange(rows_.front().top, rows_.back().top + rows_.back().height) : QCPRange();
}

void IntervalPlottable::draw(QCPPainter* painter) {
  const QCPRange range = keyAxis()->range();
  const QRect area = keyAxis()->axisRect()->rect();
  exactRows_ = 0;
  painter->setAntialiasing(false);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const BarRow& row = rows_[r];
    const double y0 = std::round(valueAxis()->coordToPixel(row.top));
    const double y1 = std::round(valueAxis()->coordToPixel(row.top + row.height));
    if (y1 < area.top() || y0 > area.bottom() + 1) continue;
    const QRectF whole(area.left(), y0, area.width(), std::max(1.0, y1 - y0));
    const bool thin = whole.height() < kThin;
    if (!thin) {
      if (r % 2 == 1) painter->fillRect(whole, band_);
      painter->setPen(QPen(separator_, 0));
      painter->drawLine(whole.bottomLeft(), whole.bottomRight());
    }
    const QRectF box = thin ? whole : whole.adjusted(0, 2, 0, -2);

    const auto first =
        std::lower_bound(row.bars.begin(), row.bars.end(), range.lower,
                         [](const LaneItem& bar, double t) { return static_cast<double>(bar.end) < t; });
    const auto last = std::upper_bound(first, row.bars.end(), range.upper, [](double t, const LaneItem& bar) {
      return t < static_cast<double>(bar.start);
    });
    if (!row.blurs.empty()) drawBlurs(painter, row, box);
    // With a bar on every second pixel the least width of one would say more than there is.
    if (2 * (last - first) <= area.width()) {
      ++exactRows_;
      drawExact(painter, row, static_cast<std::size_t>(first - row.bars.begin()),
                static_cast<std::size_t>(last - row.bars.begin()), box);
    } else {
      drawDense(painter, row, box);
    }
  }
}

void IntervalPlottable::drawExact(QCPPainter* painter, const BarRow& row, std::size_t from, std::size_t to,
                                  const QRectF& box) {
  painter->setFont(parentPlot()->font());
  for (std::size_t i = from; i < to; ++i) {
    const LaneItem& bar = row.bars[i];
    const BarLook& look = looks_[row.looks[i]];
    // Clamped before rounding: far out of view a pixel position does not fit an int.
    const double x0 = std::max(keyAxis()->coordToPixel(static_cast<double>(bar.start)), box.left() - 4);
    const double x1 = std::min(keyAxis()->coordToPixel(static_cast<double>(bar.end)), box.right() + 4);
    const QRectF rect(x0, box.top(), std::max(1.0, x1 - x0), box.height());
    if (row.outlined) {
      painter->setPen(QPen(textOn(background_), 0));
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(rect.adjusted(0, 0, -1, -1));
      const QRectF seen = rect.intersected(box);
      BarLook over = look;
      over.colour = background_;
      if (seen.width() >= 14 && !row.blurs.empty()) drawLabel(painter, over, bar.end - bar.start, seen);
      continue;
    }
    if (look.faded) {
      painter->fillRect(rect, QColor::fromRgb(blend(background_, look.colour, 0.22)));
      continue;
    }
    if (look.hatch == Qt::SolidPattern || rect.width() < 3) {
      painter->fillRect(rect, look.colour);
    } else {
      painter->fillRect(rect, QColor::fromRgb(blend(background_, look.colour, 0.22)));
      painter->fillRect(rect, QBrush(look.colour, look.hatch));
    }
    if (rect.width() >= 6 && rect.height() >= kThin / 2) {
      painter->setPen(QPen(look.hatch == Qt::SolidPattern ? look.colour.darker(135) : look.colour, 0));
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(rect.adjusted(0, 0, -1, -1));
    }
    const QRectF visible = rect.intersected(box);
    if (visible.width() >= 14) drawLabel(painter, look, bar.end - bar.start, visible);
  }
}

void IntervalPlottable::drawBlurs(QCPPainter* painter, const BarRow& row, const QRectF& box) const {
  const QCPRange range = keyAxis()->range();
  const int columns = std::max(1, static_cast<int>(std::lround(box.width())));
  const double step = range.size() / columns;
  for (const BarBlur& blur : row.blurs) {
    QImage image(columns, 1, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(0));
    for (int c = 0; c < columns; ++c) {
      const double from = range.lower + c * step;
      const double share = blur.coverage.share(from, from + step);
      if (share <= 0) continue;
      // One iteration in a thousand must still be seen.
      const int alpha = static_cast<int>(std::lround(255 * std::clamp(share, 0.06, 1.0)));
      line[c] = qPremultiply(qRgba(blur.colour.red(), blur.colour.green(), blur.colour.blue(), alpha));
    }
    painter->drawImage(box, image);
  }
}

void IntervalPlottable::drawLabel(QCPPainter* painter, const BarLook& look, Ns length,
                                  const QRectF& bar) const {
  const QFontMetricsF metrics(painter->font());
  if (metrics.height() > bar.height() + 2) return;
  const double room = bar.width() - 8;
  QStringList candidates;
  if (look.withLength) {
    const QString time = timeText(unit_, static_cast<double>(length));
    if (!look.label.isEmpty()) candidates << time + QLatin1Char(' ') + look.label;
    candidates << (look.label.isEmpty() ? time : look.label);
  } else {
    candidates << look.label;
  }
  QString shown;
  for (const QString& candidate : candidates) {
    if (metrics.horizontalAdvance(candidate) <= room) {
      shown = candidate;
      break;
    }
  }
  if (shown.isEmpty() && !look.withLength && room >= 4 * metrics.averageCharWidth()) {
    shown = metrics.elidedText(look.label, Qt::ElideRight, room);
  }
  if (shown.isEmpty()) return;
  if (look.hatch == Qt::SolidPattern) {
    painter->setPen(textOn(look.colour));
  } else {
    // A hatch under letters makes them unreadable.
    const double width = metrics.horizontalAdvance(shown) + 6;
    const QRectF plate(bar.center().x() - width / 2, bar.top() + 1, width, bar.height() - 2);
    painter->fillRect(plate, QColor::fromRgb(blend(background_, look.colour, 0.10)));
    painter->setPen(textOn(background_));
  }
  painter->drawText(bar, Qt::AlignCenter | Qt::TextSingleLine, shown);
}

void IntervalPlottable::drawDense(QCPPainter* painter, const BarRow& row, const QRectF& box) const {
  const QCPRange range = keyAxis()->range();
  const double scale = painter->device()->devicePixelRatioF() * std::abs(painter->transform().m11());
  const int columns = std::max(1, static_cast<int>(std::lround(box.width() * std::max(1.0, scale))));
  QImage image(columns, 1, QImage::Format_RGB32);
  auto* line = reinterpret_cast<QRgb*>(image.scanLine(0));
  const double step = range.size() / columns;
  std::size_t hint = 0;
  double before = coveredBefore(row, hint, range.lower);
  for (int c = 0; c < columns; ++c) {
    const std::size_t first = hint;
    const double until = range.lower + (c + 1) * step;
    const double after = coveredBefore(row, hint, until);
    const bool touched = hint != first || after > before ||
                         (hint < row.bars.size() && static_cast<double>(row.bars[hint].start) < until);
    const double share = std::clamp((after - before) / step, 0.0, 1.0);
    line[c] = touched ? blend(background_, row.dense, std::max(0.18, share)) : background_.rgb();
    before = after;
  }
  painter->drawImage(box, image);
}

}  // namespace opscope::ui
