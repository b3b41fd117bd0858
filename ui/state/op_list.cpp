// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/op_list.h"

#include <algorithm>

#include "base/op_families.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

QString firstSentence(const QString& doc) {
  const auto end = doc.indexOf(QStringLiteral(". "));
  return end < 0 ? doc : doc.left(end + 1);
}

QString spaced(const QString& name) {
  return QString(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString joined(const QString& name) {
  return QString(name).remove(QLatin1Char('_'));
}

}  // namespace

std::vector<OpLine> opLines(const CatalogueInfo& catalogue) {
  std::vector<QString> families;
  std::vector<OpLine> lines;
  for (const CatalogueInfo::Op& op : catalogue.ops) {
    if (isMadeToFail(op.family)) continue;
    const QString doc = text(op.doc).simplified();
    lines.push_back({text(op.name), text(op.family), firstSentence(doc), doc});
    if (std::find(families.begin(), families.end(), lines.back().family) == families.end())
      families.push_back(lines.back().family);
  }
  std::stable_sort(lines.begin(), lines.end(), [&](const OpLine& a, const OpLine& b) {
    return std::find(families.begin(), families.end(), a.family) <
           std::find(families.begin(), families.end(), b.family);
  });
  return lines;
}

bool fits(const OpLine& line, const QString& typed) {
  const QString all = line.name + QLatin1Char(' ') + spaced(line.name) + QLatin1Char(' ') +
                      joined(line.name) + QLatin1Char(' ') + line.family + QLatin1Char(' ') + line.wholeDoc;
  const QStringList words = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

}  // namespace opscope::ui
