// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>

class QMenuBar;

namespace opscope::ui {

/// All keys, menu by menu, and what the mouse does.
class CheatSheet : public QDialog {
  Q_OBJECT
 public:
  CheatSheet(const QMenuBar& menus, QWidget* parent);
  QString plainText() const;

 private:
  QString html_;
};

}  // namespace opscope::ui
