// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include "base/format.h"

namespace opscope::ui {

/// Ticks of an axis in ns, labelled in one unit with as many decimals as the step needs. The smallest step is
/// 1 ns: nothing is known between two.
class TimeTicker : public QCPAxisTicker {
 public:
  void setUnit(TimeUnit unit) { unit_ = unit; }
  TimeUnit unit() const { return unit_; }

 protected:
  double getTickStep(const QCPRange& range) override;
  int getSubTickCount(double tickStep) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar formatChar, int precision) override;

 private:
  TimeUnit unit_ = TimeUnit::Microseconds;
  int decimals_ = 0;
};

/// How many ns one of the unit has.
double nsPer(TimeUnit unit);

}  // namespace opscope::ui
