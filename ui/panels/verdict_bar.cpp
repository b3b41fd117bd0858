// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/verdict_bar.h"

#include <QGridLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QTextDocument>
#include <algorithm>

#include "plots/theme.h"
#include "state/colours.h"

namespace opscope::ui {
namespace {

constexpr int kColumns = 4;

QString joined(const QStringList& parts, const QString& between) {
  QStringList filled;
  for (const QString& part : parts) {
    if (!part.isEmpty()) filled << part.toHtmlEscaped();
  }
  return filled.join(between);
}

QString figureHtml(const ImplementationVerdict& verdict, const PlotTheme& theme) {
  const QString dot = QStringLiteral(" &nbsp;·&nbsp; ");
  QString html = QStringLiteral("<b>%1 %2</b> &nbsp; ").arg(verdict.letter, verdict.name.toHtmlEscaped());
  if (verdict.figure.isEmpty()) return html + verdict.sentence.toHtmlEscaped();
  html += QStringLiteral("<span style='font-size:large; font-weight:600'>%1</span>")
              .arg(verdict.figure.toHtmlEscaped());
  if (!verdict.mark.isEmpty())
    html += QStringLiteral(" &nbsp; <b>[%1]</b>").arg(verdict.mark.toHtmlEscaped());
  html += QStringLiteral("<br><span style='color:%1'>%2</span>")
              .arg(theme.faint.name(), joined({verdict.spread, verdict.latency}, dot));
  const QString why = joined({verdict.efficiency, verdict.idle, verdict.causes}, dot);
  if (!why.isEmpty()) html += QStringLiteral("<br>%1").arg(why);
  if (!verdict.compared.isEmpty())
    html += QStringLiteral("<br><i>%1</i>").arg(verdict.compared.toHtmlEscaped());
  return html;
}

QString failureHtml(const ImplementationVerdict& verdict) {
  QString html = QStringLiteral("<b>%1 %2</b> &nbsp; <b>%3: no number</b><br>%4")
                     .arg(verdict.letter, verdict.name.toHtmlEscaped(), verdict.failureName.toHtmlEscaped(),
                          verdict.sentence.toHtmlEscaped());
  if (!verdict.remedy.isEmpty()) html += QStringLiteral("<br><i>%1</i>").arg(verdict.remedy.toHtmlEscaped());
  return html;
}

class Card : public QFrame {
 public:
  Card(const QString& html, const QColor& edge, std::function<void()> clicked)
      : clicked_(std::move(clicked)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->setSpacing(8);
    auto* mark = new QFrame;
    mark->setFixedWidth(5);
    mark->setAutoFillBackground(true);
    QPalette colours = mark->palette();
    colours.setColor(QPalette::Window, edge);
    mark->setPalette(colours);
    words_ = new QLabel(html);
    words_->setTextFormat(Qt::RichText);
    words_->setWordWrap(true);
    words_->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    words_->setContentsMargins(0, 4, 0, 4);
    layout->addWidget(mark);
    layout->addWidget(words_, 1);
    setFrameShape(QFrame::NoFrame);
    setAutoFillBackground(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  }
  void paint(const QColor& background, const QColor& foreground) {
    QPalette colours = palette();
    colours.setColor(QPalette::Window, background);
    setPalette(colours);
    QPalette letters = words_->palette();
    letters.setColor(QPalette::WindowText, foreground);
    words_->setPalette(letters);
  }

 protected:
  void mouseReleaseEvent(QMouseEvent*) override {
    if (clicked_) clicked_();
  }

 private:
  QLabel* words_;
  std::function<void()> clicked_;
};

}  // namespace

VerdictBar::VerdictBar(QWidget* parent) : QFrame(parent), cards_(new QGridLayout(this)) {
  setAccessibleName(tr("Verdict"));
  cards_->setContentsMargins(0, 0, 0, 0);
  cards_->setSpacing(4);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
}

void VerdictBar::clear() {
  while (QLayoutItem* item = cards_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (int c = 0; c <= kColumns; ++c) cards_->setColumnStretch(c, 0);
}

void VerdictBar::show(const VerdictText& verdict) {
  clear();
  const PlotTheme theme = plotTheme(palette());
  int at = 0;
  const int count = static_cast<int>(verdict.verdicts.size());
  const int columns = std::min(count, kColumns);
  for (const ImplementationVerdict& one : verdict.verdicts) {
    auto* card =
        new Card(one.failed ? failureHtml(one) : figureHtml(one, theme),
                 one.failed ? QColor(0x7f, 0x12, 0x0c) : implementationColour(static_cast<std::size_t>(at)),
                 [this, at] { Q_EMIT chosen(at); });
    card->setObjectName(one.failed ? QStringLiteral("failure") : QStringLiteral("verdict"));
    card->setCursor(Qt::PointingHandCursor);
    if (one.failed) {
      card->paint(QColor(0xb3, 0x26, 0x1e), Qt::white);
    } else {
      card->paint(theme.background, theme.text);
    }
    cards_->addWidget(card, at / kColumns, at % kColumns);
    cards_->setColumnStretch(at % kColumns, one.failed ? 5 : 4);
    ++at;
  }
  const QString how = joined({verdict.device, verdict.method,
                              joined({verdict.l2, verdict.dropped}, QStringLiteral(", ")), verdict.remark},
                             QStringLiteral("<br>"));
  auto* method = new QLabel(QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.faint.name(), how));
  method->setTextFormat(Qt::RichText);
  method->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  method->setContentsMargins(8, 2, 8, 2);
  cards_->addWidget(method, 0, columns, std::max(1, (count + kColumns - 1) / kColumns), 1);
}

void VerdictBar::showSentence(const QString& sentence) {
  clear();
  auto* words = new QLabel(sentence);
  words->setContentsMargins(8, 6, 8, 6);
  cards_->addWidget(words, 0, 0);
}

QString VerdictBar::plainText() const {
  QStringList lines;
  for (const QLabel* label : findChildren<QLabel*>()) {
    QTextDocument document;
    document.setHtml(label->text());
    lines << document.toPlainText();
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace opscope::ui
