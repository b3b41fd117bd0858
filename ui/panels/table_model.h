// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <cstddef>
#include <memory>
#include <vector>

#include "state/newest.h"
#include "state/table_rows.h"

namespace opscope::ui {

/// A table with index vectors of its own for order and filter: sorting 1e6 rows moves integers, not rows, and
/// costs no proxy model. A table of more than kAtOnce rows is sorted and filtered off the GUI thread; until
/// that is done it shows what it showed, and only the newest request counts.
class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  static constexpr std::size_t kAtOnce = 5'000;  // a few ms

  using QAbstractTableModel::QAbstractTableModel;

  void setContents(std::size_t rows, std::vector<TableColumn> columns);
  /// Rows in which any cell contains the text, ignoring case; everything for an empty one.
  void setFilter(const QString& filter);
  /// The row of the data that is shown in a row of the view.
  std::size_t sourceRow(int row) const { return shown_.at(static_cast<std::size_t>(row)); }
  /// The view's row of a row of the data; -1 when it is filtered out.
  int viewRow(std::size_t source) const;
  /// What is shown is not yet what was asked for.
  bool isArranging() const { return arranging_.isBusy(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 Q_SIGNALS:
  /// Other rows are shown, or in another order. The model was reset before.
  void arranged();

 private:
  void arrange();
  void show(std::vector<std::uint32_t> rows, std::vector<int> places);

  std::size_t rows_ = 0;
  std::shared_ptr<const std::vector<TableColumn>> columns_ =
      std::make_shared<const std::vector<TableColumn>>();
  std::vector<std::uint32_t> shown_;
  std::vector<int> places_;  // by row of the data: where it is shown, or -1
  TableQuery query_;
  Newest arranging_;
};

}  // namespace opscope::ui
