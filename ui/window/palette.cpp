// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

namespace opscope::ui {

QString plainName(const QAction& action) {
  return QString(action.text()).remove(QLatin1Char('&')).remove(QStringLiteral("..."));
}

int fitOf(const QString& typed, const QString& name) {
  const QString wanted = typed.simplified().toLower();
  const QString words = name.toLower();
  if (const auto whole = words.indexOf(wanted); whole >= 0) return static_cast<int>(whole);
  int cost = 100;
  qsizetype at = -1;
  for (const QChar letter : wanted) {
    if (letter.isSpace()) continue;
    const qsizetype next = words.indexOf(letter, at + 1);
    if (next < 0) return -1;
    const bool beginsWord = next == 0 || words[next - 1].isSpace();
    cost += next == at + 1 ? 0 : beginsWord ? 1 : 10;
    at = next;
  }
  return cost;
}

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent), actions_(actions), typed_(new QLineEdit(this)), list_(new QListWidget(this)) {
  setWindowTitle(tr("Commands"));
  typed_->setPlaceholderText(tr("Type what to do"));
  typed_->setAccessibleName(tr("Command"));
  list_->setAccessibleName(tr("Commands"));
  typed_->installEventFilter(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(typed_);
  layout->addWidget(list_, 1);
  resize(460, 380);
  connect(typed_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(typed_, &QLineEdit::returnPressed, this, &CommandPalette::run);
  connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run);
  fill({});
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != typed_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if ((key != Qt::Key_Up && key != Qt::Key_Down) || list_->count() == 0) return false;
  const int step = key == Qt::Key_Down ? 1 : -1;
  list_->setCurrentRow((list_->currentRow() + step + list_->count()) % list_->count());
  return true;
}

void CommandPalette::fill(const QString& typed) {
  std::vector<std::pair<int, QAction*>> fitting;
  for (QAction* action : actions_) {
    if (const int fit = fitOf(typed, plainName(*action)); fit >= 0) fitting.emplace_back(fit, action);
  }
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  list_->clear();
  for (const auto& [fit, action] : fitting) {
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    auto* item = new QListWidgetItem(
        key.isEmpty() ? plainName(*action) : tr("%1    (%2)").arg(plainName(*action), key), list_);
    item->setData(Qt::UserRole, QVariant::fromValue(static_cast<QObject*>(action)));
    if (!action->isEnabled()) item->setForeground(palette().color(QPalette::Disabled, QPalette::Text));
  }
  list_->setCurrentRow(list_->count() > 0 ? 0 : -1);
}

void CommandPalette::run() {
  const QListWidgetItem* item = list_->currentItem();
  if (!item) return;
  auto* action = qobject_cast<QAction*>(item->data(Qt::UserRole).value<QObject*>());
  if (!action || !action->isEnabled()) return;
  accept();
  action->trigger();
}

}  // namespace opscope::ui
