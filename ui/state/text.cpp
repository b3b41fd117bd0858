// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/text.h"

#include <QDateTime>
#include <QObject>

namespace opscope::ui {

QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString timeText(TimeUnit unit, double ns) {
  return text(formatIn(unit, ns)) + QLatin1Char(' ') + text(suffixOf(unit));
}

QString exactText(Ns ns) {
  return text(formatExactNs(ns));
}

QString sentenceText(std::string_view words) {
  const QString said = text(words).trimmed();
  if (said.isEmpty() || QStringLiteral(".!?:").contains(said.back())) return said;
  return said + QLatin1Char('.');
}

QString describeText(const ErrorInfo& error) {
  return sentenceText(describe(error));
}

QString wallTimeText(std::int64_t unixNs) {
  if (unixNs == 0) return QObject::tr("unknown");
  return QDateTime::fromMSecsSinceEpoch(unixNs / kMillisecond)
      .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString letterOf(std::size_t implementation) {
  if (implementation < 26) return QString(QChar(static_cast<char16_t>(u'A' + implementation)));
  return QString::number(implementation + 1);
}

QString shortName(const QString& name, qsizetype longest) {
  if (name.size() <= longest) return name;
  return name.left(longest * 2 / 3) + QStringLiteral(" … ") + name.right(longest / 5);
}

QString folded(const QString& words) {
  constexpr qsizetype kLine = 100;
  QString lines;
  qsizetype column = 0;
  for (const QChar character : words) {
    column = character.isSpace() ? 0 : column + 1;
    if (column > kLine && !character.isLowSurrogate()) {
      lines += QLatin1Char('\n');
      column = 1;
    }
    lines += character;
  }
  return lines;
}

}  // namespace opscope::ui
