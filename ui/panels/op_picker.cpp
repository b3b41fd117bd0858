// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/op_picker.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "state/text.h"

namespace opscope::ui {

OpPicker::OpPicker(QWidget* parent) : QWidget(parent), typed_(new QLineEdit), list_(new QTreeWidget) {
  typed_->setPlaceholderText(tr("Find an op: a part of its name, its family or what it does"));
  typed_->setClearButtonEnabled(true);
  typed_->setAccessibleName(tr("Find an op"));
  typed_->installEventFilter(this);
  list_->setAccessibleName(tr("Ops"));
  list_->setColumnCount(2);
  list_->setHeaderHidden(true);
  list_->setRootIsDecorated(false);
  list_->setIndentation(10);
  list_->setUniformRowHeights(true);
  list_->setAlternatingRowColors(true);
  list_->setTextElideMode(Qt::ElideRight);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->header()->setStretchLastSection(true);
  list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  layout->addWidget(typed_);
  layout->addWidget(list_, 1);
  connect(typed_, &QLineEdit::textChanged, this, &OpPicker::fill);
  connect(list_, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* item) { choose(item); });
  connect(list_, &QTreeWidget::currentItemChanged, this,
          [this](const QTreeWidgetItem* item) { choose(item); });
  connect(list_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
    const QString name = item->data(0, Qt::UserRole).toString();
    if (!name.isEmpty()) Q_EMIT activated(name);
  });
  fill();
}

void OpPicker::setOps(const CatalogueInfo& catalogue) {
  read_ = true;
  lines_ = opLines(catalogue);
  problems_.clear();
  for (const ErrorInfo& problem : catalogue.problems) problems_ << describeText(problem);
  fill();
}

void OpPicker::say(const QString& sentence) {
  auto* item = new QTreeWidgetItem(list_, {sentence});
  item->setFirstColumnSpanned(true);
  item->setFlags(Qt::ItemIsEnabled);  // a disabled item is too faint to read on some dark palettes
  item->setToolTip(0, sentence);
  QFont slanted = list_->font();
  slanted.setItalic(true);
  item->setFont(0, slanted);
}

void OpPicker::fill() {
  list_->clear();
  QFont bold = list_->font();
  bold.setBold(true);
  QTreeWidgetItem* family = nullptr;
  for (const OpLine& line : lines_) {
    if (!fits(line, typed_->text())) continue;
    if (!family || family->text(0) != line.family) {
      family = new QTreeWidgetItem(list_, {line.family});
      family->setFirstColumnSpanned(true);
      family->setFlags(Qt::ItemIsEnabled);
    }
    auto* item = new QTreeWidgetItem(family, {line.name, line.doc});
    item->setData(0, Qt::UserRole, line.name);
    item->setFont(0, bold);
    item->setToolTip(0, line.wholeDoc);
    item->setToolTip(1, line.wholeDoc);
  }
  list_->expandAll();
  if (!read_) {
    say(tr("Reading the ops."));
  } else if (lines_.empty()) {
    say(tr("No ops were found."));
  } else if (list_->topLevelItemCount() == 0) {
    say(tr("No op fits \"%1\".").arg(typed_->text()));
  }
  if (typed_->text().isEmpty())
    for (const QString& problem : std::as_const(problems_)) say(problem);
}

QStringList OpPicker::shown() const {
  QStringList names;
  for (int f = 0; f < list_->topLevelItemCount(); ++f) {
    const QTreeWidgetItem* family = list_->topLevelItem(f);
    for (int i = 0; i < family->childCount(); ++i)
      names << family->child(i)->data(0, Qt::UserRole).toString();
  }
  return names;
}

void OpPicker::choose(const QTreeWidgetItem* item) {
  const QString name = item ? item->data(0, Qt::UserRole).toString() : QString();
  if (!name.isEmpty()) Q_EMIT chosen(name);
}

bool OpPicker::eventFilter(QObject* watched, QEvent* event) {
  if (watched != typed_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool moves = key->key() == Qt::Key_Down || key->key() == Qt::Key_Up;
  const bool enters = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  if (!moves && !enters) return QWidget::eventFilter(watched, event);
  // From the field to the first op, and from there on through the list.
  QTreeWidgetItem* now = list_->currentItem();
  const auto isOp = [](const QTreeWidgetItem* item) { return item && item->parent() != nullptr; };
  QTreeWidgetItem* next = now;
  if (!isOp(now)) {
    next = list_->topLevelItemCount() > 0 ? list_->topLevelItem(0)->child(0) : nullptr;
  } else if (moves) {
    do {
      next = key->key() == Qt::Key_Down ? list_->itemBelow(next) : list_->itemAbove(next);
    } while (next && !isOp(next));
  }
  if (!next) return true;
  list_->setCurrentItem(next);
  if (enters) Q_EMIT activated(next->data(0, Qt::UserRole).toString());
  return true;
}

}  // namespace opscope::ui
