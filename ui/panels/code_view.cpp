// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code_view.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>

#include "panels/code_highlighter.h"
#include "plots/theme.h"

namespace opscope::ui {
namespace {

constexpr int kPad = 6;  // px beside the numbers

QColor markColour(bool isError, bool dark) {
  if (isError) return dark ? QColor(0xff, 0x8a, 0x80) : QColor(0xb3, 0x26, 0x1e);
  return dark ? QColor(0xff, 0xd5, 0x4f) : QColor(0x9a, 0x67, 0x00);
}

}  // namespace

/// The numbers, and a mark of its own shape where something is said: never colour alone.
class CodeView::Margin : public QWidget {
 public:
  explicit Margin(CodeView* view) : QWidget(view), view_(view) {}

 protected:
  void paintEvent(QPaintEvent* event) override { view_->paintMargin(event); }
  bool event(QEvent* event) override {
    if (event->type() == QEvent::ToolTip) {
      const auto* help = static_cast<QHelpEvent*>(event);
      const QTextCursor at = view_->cursorForPosition(QPoint(1, help->pos().y()));
      QToolTip::showText(help->globalPos(), view_->messagesAt(at.blockNumber() + 1), this);
      return true;
    }
    return QWidget::event(event);
  }

 private:
  CodeView* view_;
};

CodeView::CodeView(QWidget* parent)
    : QPlainTextEdit(parent), margin_(new Margin(this)), highlighter_(new CodeHighlighter(document())) {
  setReadOnly(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(QPlainTextEdit::font().pointSizeF());
  setFont(font);
  setTabStopDistance(4 * fontMetrics().horizontalAdvance(QLatin1Char(' ')));
  connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeView::layOutMargin);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int scrolled) {
    if (scrolled != 0) {
      margin_->scroll(0, scrolled);
    } else {
      margin_->update(0, rect.y(), margin_->width(), rect.height());
    }
  });
  restyle();
  layOutMargin();
}

void CodeView::setCode(const QString& file, const QString& code) {
  highlighter_->setLanguage(languageOf(file));
  if (toPlainText() == code) return;
  const int line = currentLine();
  const int top = verticalScrollBar()->value();
  setPlainText(code);
  goTo(line);
  verticalScrollBar()->setValue(top);
  markLines();
}

void CodeView::setSentence(const QString& sentence) {
  messages_.clear();
  highlighter_->setLanguage(CodeLanguage::Plain);
  setPlainText(sentence);
  markLines();
}

void CodeView::setMessages(const std::vector<SourceMessage>& messages) {
  messages_ = messages;
  markLines();
}

void CodeView::goTo(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(std::clamp(line, 1, blockCount()) - 1);
  QTextCursor cursor(block);
  if (column > 1) cursor.setPosition(block.position() + std::min(column, block.length()) - 1);
  setTextCursor(cursor);
  centerCursor();
}

int CodeView::currentLine() const {
  return textCursor().blockNumber() + 1;
}

QString CodeView::messagesAt(int line) const {
  QStringList words;
  for (const SourceMessage& message : messages_)
    if (message.line == line) words << message.words;
  return words.join(QLatin1Char('\n'));
}

void CodeView::markLines() {
  const bool dark = plotTheme(palette()).dark;
  QList<QTextEdit::ExtraSelection> marked;
  for (const SourceMessage& message : messages_) {
    if (message.line < 1 || message.line > blockCount()) continue;
    QTextEdit::ExtraSelection line;
    QColor ground = markColour(message.isError, dark);
    ground.setAlpha(dark ? 70 : 45);
    line.format.setBackground(ground);
    line.format.setProperty(QTextFormat::FullWidthSelection, true);
    line.cursor = QTextCursor(document()->findBlockByNumber(message.line - 1));
    marked << line;
  }
  setExtraSelections(marked);
  margin_->update();
}

void CodeView::layOutMargin() {
  const int digits = std::max(3, static_cast<int>(QString::number(blockCount()).size()));
  const int mark = fontMetrics().height() / 2;
  const int width = 2 * kPad + mark + digits * fontMetrics().horizontalAdvance(QLatin1Char('9'));
  setViewportMargins(width, 0, 0, 0);
  const QRect all = contentsRect();
  margin_->setGeometry(all.left(), all.top(), width, all.height());
}

void CodeView::paintMargin(QPaintEvent* event) {
  const PlotTheme theme = plotTheme(palette());
  QPainter painter(margin_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(event->rect(), theme.band);
  painter.setFont(font());
  const double height = fontMetrics().height();
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF box = blockBoundingGeometry(block).translated(contentOffset());
    if (box.top() > event->rect().bottom()) break;
    if (!block.isVisible() || box.bottom() < event->rect().top()) continue;
    const int line = block.blockNumber() + 1;
    painter.setPen(theme.faint);
    painter.drawText(QRectF(0, box.top(), margin_->width() - kPad, height), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(line));
    const auto said = std::find_if(messages_.begin(), messages_.end(),
                                   [&](const SourceMessage& message) { return message.line == line; });
    if (said == messages_.end()) continue;
    const QRectF mark(kPad / 2.0, box.top() + height / 4, height / 2, height / 2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(markColour(said->isError, theme.dark));
    if (said->isError) {
      painter.drawEllipse(mark);
    } else {
      painter.drawPolygon(QPolygonF{{mark.center().x(), mark.top()}, mark.bottomRight(), mark.bottomLeft()});
    }
  }
}

void CodeView::restyle() {
  highlighter_->setDark(plotTheme(palette()).dark);
  markLines();
}

void CodeView::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  layOutMargin();
}

void CodeView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
  if (event->type() == QEvent::FontChange) layOutMargin();
}

}  // namespace opscope::ui
