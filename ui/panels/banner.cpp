// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "state/text.h"

namespace opscope::ui {

Banner::Banner(QWidget* parent) : QFrame(parent), words_(new QLabel(this)) {
  setObjectName(QStringLiteral("banner"));
  setAutoFillBackground(true);
  QPalette colours = palette();
  colours.setColor(QPalette::Window, QColor(0xb3, 0x26, 0x1e));
  colours.setColor(QPalette::WindowText, Qt::white);
  setPalette(colours);
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  words_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  auto* close = new QPushButton(tr("Close"), this);
  close->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  close->setPalette(QPalette());
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 6, 8, 6);
  layout->addWidget(words_, 1);
  layout->addWidget(close, 0, Qt::AlignTop);
  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  hide();
}

void Banner::show(const ErrorInfo& error) {
  words_->setText(QStringLiteral("<b>%1</b> &nbsp; %2")
                      .arg(text(nameOf(error.code)), describeText(error).toHtmlEscaped().replace(
                                                         QLatin1Char('\n'), QStringLiteral("<br>"))));
  setAccessibleName(describeText(error));
  QWidget::show();
}

QString Banner::shownText() const {
  return isHidden() ? QString() : words_->text();
}

}  // namespace opscope::ui
