// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/status.h"

#include <QStringList>

#include "session/device_record.h"
#include "state/drift.h"
#include "state/text.h"
#include "trace/telemetry.h"

namespace opscope::ui {
namespace {

const QString kApart = QStringLiteral("   ");

QString rangeText(const ReadingRange& range, double scale, const QString& unit) {
  const auto number = [scale](int value) { return QString::number(value * scale, 'f', 0); };
  if (number(range.low) == number(range.high)) return number(range.median) + QLatin1Char(' ') + unit;
  return QObject::tr("%1 %2 (%3 to %4)")
      .arg(number(range.median), unit, number(range.low), number(range.high));
}

}  // namespace

QString selectionStatus(const Selected& selected) {
  const Pass* pass = selected.passOrNull();
  if (!pass || selected.iteration < 0) return {};
  QString words = QObject::tr("pass %1 of %2, iteration %3")
                      .arg(selected.pass + 1)
                      .arg(selected.run->passes.size())
                      .arg(selected.iteration);
  const auto add = [&words](const QString& what, Ns length) {
    words += kApart + what + QLatin1Char(' ') +
             timeText(unitFor(static_cast<double>(length)), static_cast<double>(length));
  };
  const std::uint32_t at = selected.item.index;
  const Trace& trace = pass->trace;
  using Kind = SelectedItem::Kind;
  if (selected.item.kind == Kind::Kernel && at < trace.kernels.size()) {
    add(QObject::tr("kernel"), trace.kernels[at].end - trace.kernels[at].start);
  } else if (selected.item.kind == Kind::Gap && at < pass->gaps.size()) {
    add(QObject::tr("gap"), pass->gaps[at].length());
  } else if (selected.item.kind == Kind::Launch && at < trace.launches.size()) {
    add(QObject::tr("launch"), trace.launches[at].end - trace.launches[at].start);
  } else if (selected.item.kind == Kind::Memop && at < trace.memops.size()) {
    add(QObject::tr("copy"), trace.memops[at].end - trace.memops[at].start);
  } else if (selected.item.kind == Kind::Range && at < trace.ranges.size() &&
             trace.ranges[at].known == RangeKnown::Whole) {
    add(QObject::tr("marked range"), trace.ranges[at].end - trace.ranges[at].start);
  }
  if (selected.range) add(QObject::tr("range"), selected.range->length());
  return words;
}

QString deviceStatus(const Selected& selected) {
  if (!selected.run) return {};
  QStringList parts{
      QStringLiteral("%1 (%2)").arg(text(selected.run->deviceName), text(selected.run->figures))};
  if (const Pass* pass = selected.passOrNull()) {
    const TelemetrySummary sensors = summariseTelemetry(*pass);
    if (sensors.smClockMhz) parts << QObject::tr("SM %1 MHz").arg(sensors.smClockMhz->median);
    if (sensors.hottestC) parts << QObject::tr("%1 °C").arg(*sensors.hottestC);
    if (sensors.powerMilliwatt)
      parts << QObject::tr("%1 W").arg(sensors.powerMilliwatt->median / 1000.0, 0, 'f', 0);
    if (const std::uint64_t held = heldDownBy(sensors.throttleReasons); held != 0)
      parts << QObject::tr("held down: %1").arg(text(throttleText(held)));
  }
  return parts.join(kApart);
}

QString deviceStatusHint(const Selected& selected) {
  const Pass* pass = selected.passOrNull();
  if (!pass) return {};
  const TelemetrySummary sensors = summariseTelemetry(*pass);
  if (sensors.readings == 0) return {};
  QStringList lines{QObject::tr("While pass %1 was timed, by %2 readings of the device's sensors:")
                        .arg(selected.pass + 1)
                        .arg(sensors.readings)};
  const QString megahertz = QObject::tr("MHz");
  if (sensors.smClockMhz)
    lines << QObject::tr("SM clock %1").arg(rangeText(*sensors.smClockMhz, 1, megahertz));
  if (sensors.memoryClockMhz)
    lines << QObject::tr("memory clock %1").arg(rangeText(*sensors.memoryClockMhz, 1, megahertz));
  if (sensors.hottestC) lines << QObject::tr("up to %1 °C").arg(*sensors.hottestC);
  if (sensors.powerMilliwatt)
    lines << QObject::tr("power %1").arg(rangeText(*sensors.powerMilliwatt, 1e-3, QObject::tr("W")));
  if (sensors.throttleReasons)
    lines << QObject::tr("clocks held down by: %1")
                 .arg(text(throttleText(heldDownBy(sensors.throttleReasons))));
  if (const std::string locked = valueIn(selected.run->environment, "locked clocks"); !locked.empty())
    lines << QObject::tr("locked clocks: %1").arg(text(locked));
  return lines.join(QLatin1Char('\n'));
}

}  // namespace opscope::ui
