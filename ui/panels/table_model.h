// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <cstddef>
#include <functional>
#include <vector>

namespace opscope::ui {

/// One column over the rows 0..n of some data that the functions hold on to.
struct TableColumn {
  QString title;
  QString hint;  ///< what the figure means
  std::function<QString(std::size_t row)> text;
  /// What is sorted by; empty: the text. A number makes the column right-aligned.
  std::function<double(std::size_t row)> number;
  std::function<QVariant(std::size_t row)> colour;  ///< a mark beside the text; may be empty
};

/// A table with index vectors of its own for order and filter: sorting 1e5 rows moves integers, not rows, and
/// costs no proxy model.
class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setContents(std::size_t rows, std::vector<TableColumn> columns);
  /// Rows in which any cell contains the text, ignoring case; everything for an empty one.
  void setFilter(const QString& filter);
  /// The row of the data that is shown in a row of the view.
  std::size_t sourceRow(int row) const { return shown_.at(static_cast<std::size_t>(row)); }
  /// The view's row of a row of the data; -1 when it is filtered out.
  int viewRow(std::size_t source) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 private:
  void arrange();

  std::size_t rows_ = 0;
  std::vector<TableColumn> columns_;
  std::vector<std::size_t> shown_;
  QString filter_;
  int sortColumn_ = -1;
  Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace opscope::ui
