// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <QColor>
#include <QString>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/format.h"
#include "state/coverage.h"
#include "state/lane_layout.h"

namespace opscope::ui {

/// How an interval looks. A hatch is drawn over a light tint of the colour.
struct BarLook {
  QColor colour;
  Qt::BrushStyle hatch = Qt::SolidPattern;
  QString label;
  bool withLength = false;  ///< the label begins with the interval's length
  bool faded = false;       ///< filtered out: still there, but out of the way
};

/// Many iterations over each other: the colour is as strong as the share of them that are there.
struct BarBlur {
  QColor colour;
  Coverage coverage;
};

/// One row: intervals in order that do not overlap, each with a look. Top and height on the value axis.
struct BarRow {
  double top = 0;
  double height = 1;
  std::vector<LaneItem> bars;
  std::vector<std::uint32_t> looks;  ///< one per bar, into the plottable's looks
  QColor dense;                      ///< where single bars cannot be told apart
  std::vector<BarBlur> blurs;        ///< behind the bars
  bool outlined = false;             ///< the bars as outlines, so that the blurs are seen through them
  /// What drawing many bars asks of one, side by side: a column of pixels then waits for memory once.
  struct Covered {
    Ns end = 0;
    Ns before = 0;  ///< time covered by the bars before it; faded ones cover none
  };
  /// One per bar and one beyond them; made by sum().
  std::vector<Covered> covered;
  /// Equal stretches from the first end to the last: the first bar whose end lies in each or beyond, and the
  /// time covered before it begins. Made by sum(), with one for where the last one ends; empty for few bars.
  struct Bucket {
    Ns before = 0;
    std::uint32_t first = 0;
  };
  std::vector<Bucket> buckets;
  double bucketsPerNs = 0;
  void sum(const std::vector<BarLook>& looks);
  /// Where the first bar that ends at this instant or later lies, between two places; the second is possible.
  std::pair<std::size_t, std::size_t> mayEndAfter(double at) const;

 private:
  std::size_t bucketOf(double at) const;
};

/// Draws rows of intervals at a cost that follows pixels, not intervals: what is out of view is culled by
/// binary search; few intervals become exact rectangles with labels, many the busy fraction of each pixel
/// column, read from prefix sums. An interval of any length stays visible: at least one pixel wide, or a
/// column that is at least faint. One plottable for all rows, because an item per interval took 100 ms at
/// 1e5.
class IntervalPlottable : public QCPAbstractPlottable {
 public:
  IntervalPlottable(QCPAxis* time, QCPAxis* rows);

  /// Rows that were not summed yet are summed here.
  void setRows(std::vector<BarRow> rows, std::vector<BarLook> looks);
  void setColours(const QColor& background, const QColor& band, const QColor& separator);
  void setUnit(TimeUnit unit) { unit_ = unit; }
  const std::vector<BarRow>& rows() const { return rows_; }
  /// Of the last drawing: how many rows were drawn interval by interval.
  int exactRows() const { return exactRows_; }

  double selectTest(const QPointF& pos, bool onlySelectable, QVariant* details = nullptr) const override;
  QCPRange getKeyRange(bool& found, QCP::SignDomain domain = QCP::sdBoth) const override;
  QCPRange getValueRange(bool& found, QCP::SignDomain domain = QCP::sdBoth,
                         const QCPRange& keys = QCPRange()) const override;

 protected:
  void draw(QCPPainter* painter) override;
  void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

 private:
  /// What drawing a look asks for again and again and text measuring makes dear; as long as the font stays.
  struct Drawn {
    bool known = false;
    QPen outline;
    QColor tint;
    QColor plate;
    QColor onColour;
    double labelWidth = 0;
    /// The label cut to the room there was: the same for all rooms between two that gave the same.
    struct Cut {
      double from = 0;
      double to = 0;
      QString words;
    };
    std::vector<Cut> cuts;
  };

  void drawBlurs(QCPPainter* painter, const BarRow& row, const QRectF& box) const;
  void drawExact(QCPPainter* painter, const BarRow& row, std::size_t from, std::size_t to, const QRectF& box);
  void drawDense(QCPPainter* painter, const BarRow& row, const QRectF& box);
  /// A pixel each for so many columns of the view.
  void shadeExactly(const BarRow& row, std::span<QRgb> line);
  /// The same with columns that are moved by less than a 32nd of their width.
  void shadeByBuckets(const BarRow& row, std::span<QRgb> line) const;
  void drawLabel(QCPPainter* painter, const QFontMetricsF& metrics, std::uint32_t look, Ns length,
                 const QRectF& bar, bool onBackground);
  Drawn& drawnOf(std::uint32_t look, const QFontMetricsF& metrics);
  const QString& cut(std::uint32_t look, const QFontMetricsF& metrics, double room);

  std::vector<BarRow> rows_;
  std::vector<BarLook> looks_;
  std::vector<Drawn> drawn_;  // by look
  QFont drawnFont_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;  // of one row's columns, kept for its memory
  TimeUnit unit_ = TimeUnit::Microseconds;
  QColor background_{Qt::white};
  QColor band_{Qt::white};
  QColor separator_{Qt::gray};
  int exactRows_ = 0;
};

}  // namespace opscope::ui
