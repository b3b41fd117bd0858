// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/time_ticker.h"

#include <cmath>

namespace opscope::ui {

double nsPer(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::Nanoseconds:
      return 1;
    case TimeUnit::Microseconds:
      return static_cast<double>(kMicrosecond);
    case TimeUnit::Milliseconds:
      return static_cast<double>(kMillisecond);
    case TimeUnit::Seconds:
      return static_cast<double>(kSecond);
  }
  return 1;
}

double TimeTicker::getTickStep(const QCPRange& range) {
  const double wanted = range.size() / (tickCount() + 1e-10);
  const double magnitude = std::pow(10.0, std::floor(std::log10(wanted)));
  const double lead = wanted / magnitude;
  const double step = std::max(1.0, magnitude * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10));
  decimals_ = std::max(0, static_cast<int>(std::ceil(std::log10(nsPer(unit_) / step) - 1e-9)));
  return step;
}

int TimeTicker::getSubTickCount(double tickStep) {
  return tickStep >= 5 ? 4 : 0;
}

QString TimeTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  // The C locale, as everywhere; and no "-0".
  const double value = std::abs(tick) < 0.5 ? 0 : tick / nsPer(unit_);
  return QString::number(value, 'f', decimals_);
}

}  // namespace opscope::ui
