// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/op_sources.h"

#include <QRegularExpression>
#include <algorithm>
#include <filesystem>

#include "state/text.h"

namespace opscope::ui {

std::optional<OpSources> sourcesOf(const CatalogueInfo& catalogue, const std::string& op,
                                   const std::string& implementation, const std::string& deviceKind) {
  for (const CatalogueInfo::Op& one : catalogue.ops) {
    if (one.name != op) continue;
    for (const CatalogueInfo::Implementation& found : one.implementations) {
      if (!implementation.empty() && found.name != implementation) continue;
      auto code = found.sources.find(deviceKind);
      const bool runs = std::find(found.deviceKinds.begin(), found.deviceKinds.end(), deviceKind) !=
                        found.deviceKinds.end();
      // What this device cannot run can still be read.
      if (code == found.sources.end() && !runs) code = found.sources.begin();
      return OpSources{op, found.name, code != found.sources.end() ? code->second : std::string(),
                       found.place};
    }
  }
  return std::nullopt;
}

std::vector<SourceMessage> messagesOf(const ErrorInfo& error, const Place& otherwise) {
  // "scale.cu(12): error: identifier "n" is undefined", "scale.cu(3): warning #177-D: ...".
  static const QRegularExpression line(
      QStringLiteral("^(.+)\\((\\d{1,8})\\): ((?:catastrophic |fatal )?error|warning)[^:]*: (.*)$"));
  std::vector<SourceMessage> messages;
  for (const QString& one : text(error.message).split(QLatin1Char('\n'))) {
    const auto match = line.match(one);
    if (!match.hasMatch()) continue;
    messages.push_back({match.captured(1).toStdString(), match.captured(2).toInt(), 0,
                        match.captured(3) != QStringLiteral("warning"), match.captured(4).trimmed()});
  }
  if (!messages.empty()) return messages;
  const Place& place = error.place.file.empty() ? otherwise : error.place;
  QString words = sentenceText(error.message);
  if (!error.remedy.empty()) words += QLatin1Char(' ') + sentenceText(error.remedy);
  return {{place.file, place.line, place.column, true, words}};
}

bool isOf(const SourceMessage& message, const std::string& file) {
  if (message.file.empty() || file.empty()) return false;
  return message.file == file || message.file == std::filesystem::path(file).filename().string();
}

std::optional<int> lineOfKernel(const QString& source, const QString& baseName) {
  if (baseName.isEmpty()) return std::nullopt;
  const QRegularExpression name(QStringLiteral("\\b%1\\s*\\(").arg(QRegularExpression::escape(baseName)));
  // The definition says __global__ before the name, on the same line or a few above it (bounds, templates).
  qsizetype at = 0;
  while ((at = source.indexOf(QStringLiteral("__global__"), at)) >= 0) {
    const qsizetype body = source.indexOf(QRegularExpression(QStringLiteral("[{;]")), at);
    const auto match = name.match(source, at);
    const bool defined = body >= 0 && source[body] == QLatin1Char('{');
    if (defined && match.hasMatch() && match.capturedStart() < body)
      return static_cast<int>(source.left(match.capturedStart()).count(QLatin1Char('\n'))) + 1;
    at += 10;
  }
  return std::nullopt;
}

}  // namespace opscope::ui
