// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code_highlighter.h"

namespace opscope::ui {
namespace {

constexpr int kInComment = 1;  // a block's state: a comment goes on in the next line

QTextCharFormat inColour(QRgb light, QRgb dark, bool isDark, bool bold = false) {
  QTextCharFormat format;
  format.setForeground(QColor(isDark ? dark : light));
  if (bold) format.setFontWeight(QFont::DemiBold);
  return format;
}

}  // namespace

CodeLanguage languageOf(const QString& file) {
  for (const char* ending : {".cu", ".cuh", ".h", ".hpp", ".cpp", ".c"})
    if (file.endsWith(QLatin1String(ending))) return CodeLanguage::Cuda;
  for (const char* ending : {".yaml", ".yml"})
    if (file.endsWith(QLatin1String(ending))) return CodeLanguage::Yaml;
  return CodeLanguage::Plain;
}

CodeHighlighter::CodeHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {
  makeRules();
}

void CodeHighlighter::setLanguage(CodeLanguage language) {
  if (language == language_) return;
  language_ = language;
  makeRules();
  rehighlight();
}

void CodeHighlighter::setDark(bool dark) {
  if (dark == dark_) return;
  dark_ = dark;
  makeRules();
  rehighlight();
}

void CodeHighlighter::makeRules() {
  comment_ = inColour(0x5f6b5f, 0x93a393, dark_);
  string_ = inColour(0x00695c, 0x80cbc4, dark_);
  const QTextCharFormat keyword = inColour(0x0b4f9e, 0x82b7f2, dark_, true);
  const QTextCharFormat cuda = inColour(0x8e3a00, 0xf0a36b, dark_, true);
  const QTextCharFormat number = inColour(0x6a1b9a, 0xce93d8, dark_);
  rules_.clear();
  const auto add = [this](const char* pattern, const QTextCharFormat& format) {
    rules_.push_back({QRegularExpression(QString::fromLatin1(pattern)), format});
  };
  if (language_ == CodeLanguage::Cuda) {
    add("\\b\\d[\\w.']*", number);
    add("\\b(alignas|auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|"
        "extern|false|float|for|if|inline|int|long|namespace|nullptr|operator|private|public|reinterpret_"
        "cast|"
        "return|short|signed|sizeof|static|static_assert|static_cast|struct|switch|template|this|true|"
        "typedef|"
        "typename|union|unsigned|using|void|volatile|while|size_t|u?int(?:8|16|32|64)_t)\\b",
        keyword);
    add("\\b(__\\w+__|__\\w+|blockIdx|threadIdx|blockDim|gridDim|warpSize|float[234]|int[234]|half2?|"
        "scalar_t|atomic\\w+)\\b",
        cuda);
    add("^\\s*#\\s*\\w+", cuda);
  } else if (language_ == CodeLanguage::Yaml) {
    add("(?<![\\w.])-?\\d[\\w.]*", number);
    add("[\\w-]+(?=\\s*:(\\s|$))", keyword);
  }
}

void CodeHighlighter::highlightBlock(const QString& line) {
  setCurrentBlockState(0);
  for (const Rule& rule : rules_) {
    auto found = rule.pattern.globalMatch(line);
    while (found.hasNext()) {
      const auto match = found.next();
      setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
                rule.format);
    }
  }
  if (language_ != CodeLanguage::Plain) highlightComments(line);
}

// Strings and comments hide each other: whichever begins first.
void CodeHighlighter::highlightComments(const QString& line) {
  const bool yaml = language_ == CodeLanguage::Yaml;
  const auto paint = [this](qsizetype from, qsizetype to, const QTextCharFormat& format) {
    setFormat(static_cast<int>(from), static_cast<int>(to - from), format);
  };
  const auto endOfComment = [&](qsizetype from) {
    const qsizetype end = line.indexOf(QStringLiteral("*/"), from);
    if (end < 0) setCurrentBlockState(kInComment);
    return end < 0 ? line.size() : end + 2;
  };
  qsizetype at = 0;
  if (!yaml && previousBlockState() == kInComment) {
    at = endOfComment(0);
    paint(0, at, comment_);
  }
  while (at < line.size()) {
    const QChar c = line[at];
    if (c == QLatin1Char('"') || (yaml && c == QLatin1Char('\''))) {
      qsizetype end = at + 1;
      while (end < line.size() && line[end] != c) end += line[end] == QLatin1Char('\\') ? 2 : 1;
      end = std::min(end + 1, line.size());
      paint(at, end, string_);
      at = end;
    } else if (yaml ? c == QLatin1Char('#') : line.mid(at, 2) == QStringLiteral("//")) {
      paint(at, line.size(), comment_);
      return;
    } else if (!yaml && line.mid(at, 2) == QStringLiteral("/*")) {
      const qsizetype end = endOfComment(at + 2);
      paint(at, end, comment_);
      at = end;
    } else {
      ++at;
    }
  }
}

}  // namespace opscope::ui
