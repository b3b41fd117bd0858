// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/interval_plottable.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "state/colours.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr double kThin = 8;  // px: no room for a line between two lanes

constexpr std::size_t kBarsPerBucket = 2;
constexpr std::size_t kMostBuckets = 1 << 17;  // of 16 lanes, what a cache can hold a good part of
constexpr double kBucketsPerColumn = 16;       // from here on a column may begin and end where a bucket does
constexpr double kFaintest = 0.18;  // share of its colour in which a column with anything in it is drawn
constexpr std::size_t kFetchedAhead = 12;  // columns: what memory takes to answer, over what a column takes

/// Time covered by a row's bars before an instant. `bar`: the first bar that ends there or later, which lies
/// between the places of `edge`.
double coveredBefore(const BarRow& row, std::pair<std::size_t, std::size_t> edge, double at,
                     std::size_t& bar) {
  const auto found =
      std::lower_bound(row.covered.begin() + static_cast<std::ptrdiff_t>(edge.first),
                       row.covered.begin() + static_cast<std::ptrdiff_t>(edge.second), at,
                       [](const BarRow::Covered& one, double t) { return static_cast<double>(one.end) < t; });
  bar = static_cast<std::size_t>(found - row.covered.begin());
  double sum = static_cast<double>(found->before);
  if (bar == row.bars.size()) return sum;
  const Ns length = (found + 1)->before - found->before;
  const double past = at - static_cast<double>(found->end - length);
  if (length > 0 && past > 0) sum += past;
  return sum;
}

/// Whether a bar that covers nothing begins before an instant. What covers something shows by that.
bool beginsUncovered(const BarRow& row, std::size_t bar, double before) {
  return bar < row.bars.size() && row.covered[bar + 1].before == row.covered[bar].before &&
         static_cast<double>(row.bars[bar].start) < before;
}

/// Where a column of pixels begins or ends.
struct ColumnEdge {
  double at = 0;
  double before = 0;    ///< time covered before it
  std::size_t bar = 0;  ///< the first that ends there or later
};

/// The nearest instant at which a bucket begins: what is covered before it is known. Where there are none,
/// the instant itself.
ColumnEdge bucketEdge(const BarRow& row, double at) {
  const auto origin = static_cast<double>(row.bars.front().end);
  const double place = (at - origin) * row.bucketsPerNs;
  if (place <= 0 || place >= static_cast<double>(row.buckets.size() - 1)) {
    ColumnEdge edge{at, 0, 0};
    edge.before = coveredBefore(row, row.mayEndAfter(at), at, edge.bar);
    return edge;
  }
  const auto bucket = static_cast<std::size_t>(place + 0.5);
  const BarRow::Bucket& known = row.buckets[bucket];
  return {origin + static_cast<double>(bucket) / row.bucketsPerNs, static_cast<double>(known.before),
          known.first};
}

/// The way from one colour to another, taken thousands of times for a picture.
class Blend {
 public:
  Blend(const QColor& from, const QColor& to)
      : red_(from.red()),
        green_(from.green()),
        blue_(from.blue()),
        toRed_(to.red() - red_),
        toGreen_(to.green() - green_),
        toBlue_(to.blue() - blue_) {}
  QRgb at(double share) const {
    return qRgb(part(red_, toRed_, share), part(green_, toGreen_, share), part(blue_, toBlue_, share));
  }

 private:
  static int part(int from, int way, double share) { return static_cast<int>(from + way * share + 0.5); }
  int red_;
  int green_;
  int blue_;
  int toRed_;
  int toGreen_;
  int toBlue_;
};

QColor between(const QColor& from, const QColor& to, double share) {
  return QColor::fromRgb(Blend(from, to).at(share));
}

}  // namespace

IntervalPlottable::IntervalPlottable(QCPAxis* time, QCPAxis* rows) : QCPAbstractPlottable(time, rows) {
  setSelectable(QCP::stNone);
  setAntialiased(false);
}

void IntervalPlottable::setRows(std::vector<BarRow> rows, std::vector<BarLook> looks) {
  rows_ = std::move(rows);
  looks_ = std::move(looks);
  drawn_.assign(looks_.size(), {});
  for (BarRow& row : rows_) {
    if (row.covered.size() != row.bars.size() + 1) row.sum(looks_);
  }
}

// The same arithmetic for an end and for an instant that is looked for: what rounds, rounds alike, and an end
// before the instant is never in a bucket after it.
std::size_t BarRow::bucketOf(double at) const {
  const double place = (at - static_cast<double>(bars.front().end)) * bucketsPerNs;
  return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(buckets.size() - 2)));
}

// A search through millions of bars waits for memory at every step. Where each stretch of time begins among
// them is looked up instead: what is left to search lies side by side.
std::pair<std::size_t, std::size_t> BarRow::mayEndAfter(double at) const {
  if (buckets.empty()) return {0, bars.size()};
  const std::size_t bucket = bucketOf(at);
  return {buckets[bucket].first, buckets[bucket + 1].first};
}

void BarRow::sum(const std::vector<BarLook>& all) {
  buckets.clear();
  const std::size_t wanted = std::min(bars.size() / kBarsPerBucket, kMostBuckets);
  const double span = bars.empty() ? 0 : static_cast<double>(bars.back().end - bars.front().end);
  if (wanted > 1 && span > 0) {
    bucketsPerNs = static_cast<double>(wanted) / span;
    // [b] is the first bar of bucket b or a later one.
    buckets.assign(wanted + 1, {0, static_cast<std::uint32_t>(bars.size())});
    std::size_t next = 0;
    for (std::size_t bar = 0; bar < bars.size(); ++bar) {
      const std::size_t own = bucketOf(static_cast<double>(bars[bar].end));
      while (next <= own) buckets[next++].first = static_cast<std::uint32_t>(bar);
    }
  }
  covered.clear();
  covered.reserve(bars.size() + 1);
  Ns before = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    covered.push_back({bars[i].end, before});
    if (!all[looks[i]].faded) before += bars[i].end - bars[i].start;
  }
  covered.push_back({bars.empty() ? 0 : bars.back().end, before});
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    const double begins = static_cast<double>(bars.front().end) + static_cast<double>(bucket) / bucketsPerNs;
    std::size_t unused = 0;
    buckets[bucket].before =
        std::llround(coveredBefore(*this, {buckets[bucket].first, bars.size()}, begins, unused));
  }
}

void IntervalPlottable::setColours(const QColor& background, const QColor& band, const QColor& separator) {
  if (background != background_) drawn_.assign(looks_.size(), {});
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
  painter->setFont(parentPlot()->font());
  if (painter->font() != drawnFont_) {
    drawnFont_ = painter->font();
    drawn_.assign(looks_.size(), {});
  }
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
    // With a bar on every third pixel the least width of one would say more than there is, and cost more.
    if (3 * (last - first) <= area.width()) {
      ++exactRows_;
      drawExact(painter, row, static_cast<std::size_t>(first - row.bars.begin()),
                static_cast<std::size_t>(last - row.bars.begin()), box);
    } else {
      drawDense(painter, row, box);
    }
  }
}

IntervalPlottable::Drawn& IntervalPlottable::drawnOf(std::uint32_t at, const QFontMetricsF& metrics) {
  Drawn& drawn = drawn_[at];
  if (drawn.known) return drawn;
  const BarLook& look = looks_[at];
  drawn.known = true;
  drawn.outline = QPen(look.hatch == Qt::SolidPattern ? look.colour.darker(135) : look.colour, 0);
  drawn.tint = between(background_, look.colour, 0.22);
  drawn.plate = between(background_, look.colour, 0.10);
  drawn.onColour = textOn(look.colour);
  drawn.labelWidth = metrics.horizontalAdvance(look.label);
  return drawn;
}

void IntervalPlottable::drawExact(QCPPainter* painter, const BarRow& row, std::size_t from, std::size_t to,
                                  const QRectF& box) {
  const QFontMetricsF metrics(painter->font());
  const QPen plain(textOn(background_), 0);
  // As the axis does it, for thousands of bars: it is linear and not reversed.
  const QCPRange range = keyAxis()->range();
  const QRect area = keyAxis()->axisRect()->rect();
  const auto pixelOf = [lower = range.lower, size = range.size(), width = area.width(), left = area.left()](
                           Ns at) { return (static_cast<double>(at) - lower) / size * width + left; };
  for (std::size_t i = from; i < to; ++i) {
    const LaneItem& bar = row.bars[i];
    const std::uint32_t at = row.looks[i];
    const BarLook& look = looks_[at];
    // Clamped before rounding: far out of view a pixel position does not fit an int.
    const double x0 = std::max(pixelOf(bar.start), box.left() - 4);
    const double x1 = std::min(pixelOf(bar.end), box.right() + 4);
    const QRectF rect(x0, box.top(), std::max(1.0, x1 - x0), box.height());
    if (row.outlined) {
      painter->setPen(plain);
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(rect.adjusted(0, 0, -1, -1));
      const QRectF seen = rect.intersected(box);
      if (seen.width() >= 14 && !row.blurs.empty())
        drawLabel(painter, metrics, at, bar.end - bar.start, seen, true);
      continue;
    }
    if (look.faded) {
      painter->fillRect(rect, drawnOf(at, metrics).tint);
      continue;
    }
    if (look.hatch == Qt::SolidPattern || rect.width() < 3) {
      painter->fillRect(rect, look.colour);
    } else {
      painter->fillRect(rect, drawnOf(at, metrics).tint);
      painter->fillRect(rect, QBrush(look.colour, look.hatch));
    }
    if (rect.width() < 6) continue;
    if (rect.height() >= kThin / 2) {
      painter->setPen(drawnOf(at, metrics).outline);
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(rect.adjusted(0, 0, -1, -1));
    }
    const QRectF visible = rect.intersected(box);
    if (visible.width() >= 14) drawLabel(painter, metrics, at, bar.end - bar.start, visible, false);
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

// Measuring a text to cut it costs more than drawing it.
const QString& IntervalPlottable::cut(std::uint32_t look, const QFontMetricsF& metrics, double room) {
  std::vector<Drawn::Cut>& cuts = drawn_[look].cuts;
  for (const Drawn::Cut& known : cuts)
    if (room >= known.from && room <= known.to) return known.words;
  QString words = metrics.elidedText(looks_[look].label, Qt::ElideRight, room);
  for (Drawn::Cut& known : cuts) {
    if (known.words != words) continue;
    known.from = std::min(known.from, room);
    known.to = std::max(known.to, room);
    return known.words;
  }
  cuts.push_back({room, room, std::move(words)});
  return cuts.back().words;
}

void IntervalPlottable::drawLabel(QCPPainter* painter, const QFontMetricsF& metrics, std::uint32_t at,
                                  Ns length, const QRectF& bar, bool onBackground) {
  if (metrics.height() > bar.height() + 2) return;
  const BarLook& look = looks_[at];
  const Drawn& drawn = drawnOf(at, metrics);
  const double room = bar.width() - 8;
  QString shown;
  double width = drawn.labelWidth;
  if (look.withLength) {
    const QString time = timeText(unit_, static_cast<double>(length));
    const QString both = look.label.isEmpty() ? time : time + QLatin1Char(' ') + look.label;
    width = metrics.horizontalAdvance(both);
    if (width <= room) {
      shown = both;
    } else if (!look.label.isEmpty() && drawn.labelWidth <= room) {
      width = drawn.labelWidth;
      shown = look.label;
    }
  } else if (drawn.labelWidth <= room) {
    shown = look.label;
  } else if (room >= 4 * metrics.averageCharWidth()) {
    shown = cut(at, metrics, room);
  }
  if (shown.isEmpty()) return;
  if (look.hatch == Qt::SolidPattern) {
    painter->setPen(onBackground ? textOn(background_) : drawn.onColour);
  } else {
    // A hatch under letters makes them unreadable.
    if (!look.withLength) width = metrics.horizontalAdvance(shown);
    const double plateWidth = width + 6;
    const QRectF plate(bar.center().x() - plateWidth / 2, bar.top() + 1, plateWidth, bar.height() - 2);
    painter->fillRect(plate, onBackground ? background_ : drawn.plate);
    painter->setPen(textOn(background_));
  }
  painter->drawText(bar, Qt::AlignCenter | Qt::TextSingleLine, shown);
}

void IntervalPlottable::drawDense(QCPPainter* painter, const BarRow& row, const QRectF& box) {
  const QCPRange range = keyAxis()->range();
  const double scale = painter->device()->devicePixelRatioF() * std::abs(painter->transform().m11());
  const int columns = std::max(1, static_cast<int>(std::lround(box.width() * std::max(1.0, scale))));
  QImage image(columns, 1, QImage::Format_RGB32);
  const std::span<QRgb> line(reinterpret_cast<QRgb*>(image.scanLine(0)), static_cast<std::size_t>(columns));
  if (!row.buckets.empty() && range.size() / columns * row.bucketsPerNs >= kBucketsPerColumn) {
    shadeByBuckets(row, line);
  } else {
    shadeExactly(row, line);
  }
  painter->drawImage(box, image);
}

void IntervalPlottable::shadeExactly(const BarRow& row, std::span<QRgb> line) {
  const QCPRange range = keyAxis()->range();
  const double step = range.size() / static_cast<double>(line.size());
  // Among millions of bars those at a column's edge are in no cache. Where each edge lies is asked first, so
  // that the bars there are on their way when it is their turn.
  edges_.resize(line.size() + 1);
  for (std::size_t c = 0; c < edges_.size(); ++c)
    edges_[c] = row.mayEndAfter(range.lower + static_cast<double>(c) * step);
  const auto fetch = [&](std::size_t c) {
    if (c >= edges_.size()) return;
    __builtin_prefetch(row.covered.data() + edges_[c].first);
    __builtin_prefetch(row.covered.data() + edges_[c].second);
  };
  for (std::size_t c = 0; c < kFetchedAhead; ++c) fetch(c);
  const Blend blend(background_, row.dense);
  const QRgb ground = background_.rgb();
  std::size_t hint = 0;
  double before = coveredBefore(row, edges_[0], range.lower, hint);
  for (std::size_t c = 0; c < line.size(); ++c) {
    fetch(c + kFetchedAhead);
    const std::size_t first = hint;
    const double until = range.lower + static_cast<double>(c + 1) * step;
    const double after = coveredBefore(row, edges_[c + 1], until, hint);
    const bool touched = hint != first || after > before || beginsUncovered(row, hint, until);
    line[c] = touched ? blend.at(std::clamp((after - before) / step, kFaintest, 1.0)) : ground;
    before = after;
  }
}

void IntervalPlottable::shadeByBuckets(const BarRow& row, std::span<QRgb> line) const {
  const QCPRange range = keyAxis()->range();
  const double step = range.size() / static_cast<double>(line.size());
  const Blend blend(background_, row.dense);
  const QRgb ground = background_.rgb();
  ColumnEdge from = bucketEdge(row, range.lower);
  for (std::size_t c = 0; c < line.size(); ++c) {
    const ColumnEdge to = bucketEdge(row, range.lower + static_cast<double>(c + 1) * step);
    const bool touched = to.bar != from.bar || to.before > from.before;
    line[c] = touched ? blend.at(std::clamp((to.before - from.before) / (to.at - from.at), kFaintest, 1.0))
                      : ground;
    from = to;
  }
}

}  // namespace opscope::ui
