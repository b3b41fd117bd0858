// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plot_and_words.h"

#include <QLabel>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

namespace opscope::ui {
namespace {

constexpr int kBesideFrom = 720;  // px: a plot and a column of words can both be read

}  // namespace

PlotAndWords::PlotAndWords(QWidget* plot, QWidget* parent)
    : QWidget(parent), layout_(new QBoxLayout(QBoxLayout::TopToBottom, this)), words_(new QLabel) {
  words_->setWordWrap(true);
  words_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  words_->setMargin(4);
  auto* scroll = new QScrollArea;
  scroll->setWidget(words_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* side = new QWidget;
  side_ = new QVBoxLayout(side);
  side_->setContentsMargins(0, 0, 0, 0);
  side_->addWidget(scroll, 1);
  layout_->setContentsMargins(4, 2, 4, 2);
  layout_->addWidget(plot, 5);
  layout_->addWidget(side, 2);
}

void PlotAndWords::say(const QStringList& sentences) {
  words_->setText(sentences.join(QStringLiteral("\n\n")));
}

QString PlotAndWords::words() const {
  return words_->text();
}

void PlotAndWords::addBelowWords(QWidget* widget) {
  side_->addWidget(widget, 0, Qt::AlignLeft);
}

void PlotAndWords::resizeEvent(QResizeEvent* event) {
  layout_->setDirection(event->size().width() >= kBesideFrom ? QBoxLayout::LeftToRight
                                                             : QBoxLayout::TopToBottom);
  QWidget::resizeEvent(event);
}

}  // namespace opscope::ui
