// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QSyntaxHighlighter>
#include <QTextCharFormat>
#include <vector>

namespace opscope::ui {

enum class CodeLanguage { Plain, Cuda, Yaml };
/// By its ending.
CodeLanguage languageOf(const QString& file);

/// Colours words of CUDA C++ and of YAML, enough to find one's way; it knows no grammar.
class CodeHighlighter : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  explicit CodeHighlighter(QTextDocument* document);
  void setLanguage(CodeLanguage language);
  void setDark(bool dark);

 protected:
  void highlightBlock(const QString& line) override;

 private:
  struct Rule {
    QRegularExpression pattern;
    QTextCharFormat format;
  };
  void makeRules();
  void highlightComments(const QString& line);

  CodeLanguage language_ = CodeLanguage::Plain;
  bool dark_ = false;
  std::vector<Rule> rules_;
  QTextCharFormat comment_;
  QTextCharFormat string_;
};

}  // namespace opscope::ui
