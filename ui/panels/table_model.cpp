// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/table_model.h"

#include <QColor>
#include <algorithm>
#include <numeric>

namespace opscope::ui {

void TableModel::setContents(std::size_t rows, std::vector<TableColumn> columns) {
  beginResetModel();
  rows_ = rows;
  columns_ = std::move(columns);
  arrange();
  endResetModel();
}

void TableModel::setFilter(const QString& filter) {
  if (filter == filter_) return;
  beginResetModel();
  filter_ = filter;
  arrange();
  endResetModel();
}

void TableModel::arrange() {
  shown_.clear();
  for (std::size_t row = 0; row < rows_; ++row) {
    const bool fits =
        filter_.isEmpty() || std::any_of(columns_.begin(), columns_.end(), [&](const TableColumn& column) {
          return column.text(row).contains(filter_, Qt::CaseInsensitive);
        });
    if (fits) shown_.push_back(row);
  }
  if (sortColumn_ < 0 || static_cast<std::size_t>(sortColumn_) >= columns_.size()) return;
  const TableColumn& column = columns_[static_cast<std::size_t>(sortColumn_)];
  const bool down = order_ == Qt::DescendingOrder;
  if (column.number) {
    std::stable_sort(shown_.begin(), shown_.end(), [&](std::size_t a, std::size_t b) {
      return down ? column.number(b) < column.number(a) : column.number(a) < column.number(b);
    });
    return;
  }
  std::vector<QString> texts(rows_);
  for (const std::size_t row : shown_) texts[row] = column.text(row);
  std::stable_sort(shown_.begin(), shown_.end(), [&](std::size_t a, std::size_t b) {
    const int order = QString::compare(texts[a], texts[b], Qt::CaseInsensitive);
    return down ? order > 0 : order < 0;
  });
}

int TableModel::viewRow(std::size_t source) const {
  const auto found = std::find(shown_.begin(), shown_.end(), source);
  return found == shown_.end() ? -1 : static_cast<int>(found - shown_.begin());
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const TableColumn& column = columns_[static_cast<std::size_t>(index.column())];
  const std::size_t row = sourceRow(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return column.text(row);
    case Qt::DecorationRole:
      return column.colour ? column.colour(row) : QVariant();
    case Qt::TextAlignmentRole:
      return static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || static_cast<std::size_t>(section) >= columns_.size()) return {};
  const TableColumn& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return column.hint;
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  return {};
}

void TableModel::sort(int column, Qt::SortOrder order) {
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList old = persistentIndexList();
  std::vector<std::size_t> sources;
  for (const QModelIndex& index : old) sources.push_back(sourceRow(index.row()));
  sortColumn_ = column;
  order_ = order;
  arrange();
  QModelIndexList moved;
  for (qsizetype i = 0; i < old.size(); ++i) {
    const int row = viewRow(sources[static_cast<std::size_t>(i)]);
    moved << (row < 0 ? QModelIndex() : createIndex(row, old[i].column()));
  }
  changePersistentIndexList(old, moved);
  Q_EMIT layoutChanged();
}

}  // namespace opscope::ui
