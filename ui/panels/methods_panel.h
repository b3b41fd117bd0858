// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "panels/table_panel.h"
#include "state/methods.h"

class QLabel;
class QPushButton;

namespace opscope::ui {

/// The selected run's calls by every method that they were timed by, each with what it includes.
class MethodsTable : public TablePanel {
  Q_OBJECT
 public:
  explicit MethodsTable(Selection& selection, QWidget* parent = nullptr);

 protected:
  void fill(const Selected& now, const Selected& before) override;
  std::optional<std::size_t> rowOf(const Selected& now) const override;
  void choose(std::size_t row) override;

 private:
  std::vector<MethodRow> rows_;
};

/// The table, what recording costs, and how to get both.
class MethodsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit MethodsPanel(Selection& selection, QWidget* parent = nullptr);
  MethodsTable& table() { return *table_; }
  QString words() const;

 Q_SIGNALS:
  void methodsRequested();

 private:
  void follow();

  Selection& selection_;
  MethodsTable* table_;
  QLabel* words_;
  QPushButton* measure_;
};

}  // namespace opscope::ui
