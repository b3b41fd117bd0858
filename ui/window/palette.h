// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace opscope::ui {

/// Every action of the menus by name: type a few of its letters, Enter does it.
class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(const QList<QAction*>& actions, QWidget* parent);
  QListWidget& list() { return *list_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill(const QString& typed);
  void run();

  QList<QAction*> actions_;
  QLineEdit* typed_;
  QListWidget* list_;
};

/// "Zoom in" of "Zoom &in".
QString plainName(const QAction& action);
/// How well the typed letters, in this order, fit a name: the smaller the better, -1 for not at all. Letters
/// at the beginning of words and next to each other count most. Pure.
int fitOf(const QString& typed, const QString& name);

}  // namespace opscope::ui
