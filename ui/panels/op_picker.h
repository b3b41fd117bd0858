// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "state/op_list.h"

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace opscope::ui {

/// All ops, a line each under their family, and a field that narrows them. Up and Down go through the list
/// from the field, too.
class OpPicker : public QWidget {
  Q_OBJECT
 public:
  explicit OpPicker(QWidget* parent = nullptr);
  void setOps(const CatalogueInfo& catalogue);
  /// The names that are shown, in order.
  QStringList shown() const;

 Q_SIGNALS:
  void chosen(const QString& name);     ///< a click, or the arrow keys
  void activated(const QString& name);  ///< Enter, or a double click

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill();
  void say(const QString& sentence);
  void choose(const QTreeWidgetItem* item);

  std::vector<OpLine> lines_;
  QStringList problems_;
  bool read_ = false;
  QLineEdit* typed_;
  QTreeWidget* list_;
};

}  // namespace opscope::ui
