// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "state/op_sources.h"

namespace opscope::ui {

class CodeHighlighter;

/// A source file to read: lines with their numbers, and a mark at those of which something is said.
class CodeView : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit CodeView(QWidget* parent = nullptr);

  /// `file` is what it is called; its ending says how it is coloured. Keeps the place in the text.
  void setCode(const QString& file, const QString& code);
  /// Instead of code: why there is none.
  void setSentence(const QString& sentence);
  void setMessages(const std::vector<SourceMessage>& messages);
  const std::vector<SourceMessage>& messages() const { return messages_; }
  /// Scrolls there and puts the cursor into the line, from 1.
  void goTo(int line, int column = 0);
  /// The line of the cursor, from 1.
  int currentLine() const;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  class Margin;
  void paintMargin(QPaintEvent* event);
  void layOutMargin();
  void restyle();
  void markLines();
  QString messagesAt(int line) const;

  Margin* margin_;
  CodeHighlighter* highlighter_;
  std::vector<SourceMessage> messages_;
};

}  // namespace opscope::ui
