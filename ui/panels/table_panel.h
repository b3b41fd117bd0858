// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "panels/table_model.h"
#include "plots/when_seen.h"
#include "state/selection.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace opscope::ui {

/// A table that follows the selection and makes it: filter above, sorting by the header, Ctrl+C copies rows
/// as text with a header. A subclass says what the rows are.
class TablePanel : public QWidget {
  Q_OBJECT
 public:
  TablePanel(Selection& selection, const QString& name, QWidget* parent = nullptr);

  // A table that is hidden is filled when somebody asks for what it shows.
  const TableModel& model();
  QTableView& view();
  /// Of the selected rows, tab-separated, with a header.
  QString selectedText();
  void focusFilter();

 protected:
  void setContents(std::size_t rows, std::vector<TableColumn> columns, const QString& whenEmpty);
  /// A new run, pass or iteration: put other contents in, or leave them. `before` is what the table last
  /// followed: what is selected while nobody sees it is passed over.
  virtual void fill(const Selected& now, const Selected& before) = 0;
  /// The row that shows what is selected.
  virtual std::optional<std::size_t> rowOf(const Selected& now) const = 0;
  virtual void choose(std::size_t row) = 0;
  void showEvent(QShowEvent* event) override;
  /// To be called at the end of a subclass's constructor.
  void start();
  /// Something beside the selection changed.
  void refill();
  /// To be called when contents arrived later than the selection.
  void showSelected();

  Selection& selection_;

 private:
  void follow();
  void updateEmptyText();
  void sizeColumns();
  /// Where texts may take several lines, each row gets the height that its texts need.
  void fitRows();

  TableModel* model_;
  QTableView* view_;
  QLineEdit* filter_;
  QLabel* empty_;
  QString whenEmpty_;
  std::vector<int> wraps_;  ///< the columns that are read as a whole
  bool following_ = false;
  bool sized_ = false;
  Selected followed_;
  bool stale_ = true;  ///< whatever is selected
  WhenSeen seen_;
};

}  // namespace opscope::ui
