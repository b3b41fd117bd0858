// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <functional>

#include "plots/theme.h"
#include "state/strip_layout.h"

namespace opscope::ui {

/// The bars of the iteration strip: busy below, gap on top; where bars are narrower than a pixel each column
/// shows the highest of its iterations, so that an outlier is never lost. What is higher than the axis is
/// marked at its top.
class StripPlottable : public QCPAbstractPlottable {
 public:
  StripPlottable(QCPAxis* order, QCPAxis* time);

  void set(StripLayout layout, std::vector<QString> names);
  void setTheme(const PlotTheme& theme) { theme_ = theme; }
  void setSelected(std::optional<IterationRef> selected) { selected_ = selected; }
  /// Which bars are set apart; the others are faded. Empty: all alike.
  void setBrushed(std::function<bool(const StripBar&)> holds) { holds_ = std::move(holds); }
  const StripLayout& layout() const { return layout_; }

  double selectTest(const QPointF& pos, bool onlySelectable, QVariant* details = nullptr) const override;
  QCPRange getKeyRange(bool& found, QCP::SignDomain domain = QCP::sdBoth) const override;
  QCPRange getValueRange(bool& found, QCP::SignDomain domain = QCP::sdBoth,
                         const QCPRange& keys = QCPRange()) const override;

 protected:
  void draw(QCPPainter* painter) override;
  void drawLegendIcon(QCPPainter*, const QRectF&) const override {}
  /// The pass labels stand above the bars.
  QRect clipRect() const override { return parentPlot()->viewport(); }

 private:
  void drawPass(QCPPainter* painter, const StripPass& pass) const;
  void drawLabel(QCPPainter* painter, const StripPass& pass) const;

  StripLayout layout_;
  std::vector<QString> names_;
  std::optional<IterationRef> selected_;
  PlotTheme theme_;
  std::function<bool(const StripBar&)> holds_;
};

}  // namespace opscope::ui
