// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <functional>

namespace opscope::ui {

/// "100", "0.01": round values, without the digits that a measured one has.
inline QString roundNumber(double value) {
  return QString::number(value, 'g', 6);
}

/// Decades, with words of their own.
class LogTicker : public QCPAxisTickerLog {
 public:
  using Words = std::function<QString(double value)>;
  explicit LogTicker(Words words) : words_(std::move(words)) {}

 protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override { return words_(tick); }

 private:
  Words words_;
};

}  // namespace opscope::ui
