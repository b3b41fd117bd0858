// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/table_model.h"

#include <numeric>

#include "state/text.h"

namespace opscope::ui {
namespace {

std::vector<int> placesOf(const std::vector<std::uint32_t>& shown, std::size_t rows) {
  std::vector<int> places(rows, -1);
  for (std::size_t i = 0; i < shown.size(); ++i) places[shown[i]] = static_cast<int>(i);
  return places;
}

}  // namespace

void TableModel::setContents(std::size_t rows, std::vector<TableColumn> columns) {
  beginResetModel();
  rows_ = rows;
  columns_ = std::make_shared<const std::vector<TableColumn>>(std::move(columns));
  shown_.resize(rows);
  std::iota(shown_.begin(), shown_.end(), 0U);
  places_.resize(rows);
  std::iota(places_.begin(), places_.end(), 0);
  arranging_.drop();
  endResetModel();
  if (query_ != TableQuery{}) arrange();
}

void TableModel::setFilter(const QString& filter) {
  if (filter == query_.filter) return;
  query_.filter = filter;
  arrange();
}

void TableModel::sort(int column, Qt::SortOrder order) {
  query_.sortColumn = column;
  query_.descending = order == Qt::DescendingOrder;
  arrange();
}

void TableModel::arrange() {
  if (rows_ <= kAtOnce) {
    arranging_.drop();
    auto shown = arrangeRows(rows_, *columns_, query_);
    auto places = placesOf(shown, rows_);
    show(std::move(shown), std::move(places));
    return;
  }
  arranging_.request([this, rows = rows_, columns = columns_, query = query_]() -> std::function<void()> {
    const auto shown = std::make_shared<std::vector<std::uint32_t>>(arrangeRows(rows, *columns, query));
    const auto places = std::make_shared<std::vector<int>>(placesOf(*shown, rows));
    return [this, shown, places] { show(std::move(*shown), std::move(*places)); };
  });
}

void TableModel::show(std::vector<std::uint32_t> rows, std::vector<int> places) {
  beginResetModel();
  shown_ = std::move(rows);
  places_ = std::move(places);
  endResetModel();
  Q_EMIT arranged();
}

int TableModel::viewRow(std::size_t source) const {
  return source < places_.size() ? places_[source] : -1;
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_->size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const TableColumn& column = (*columns_)[static_cast<std::size_t>(index.column())];
  const std::size_t row = sourceRow(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return column.text(row);
    case Qt::ToolTipRole:
      return folded(column.text(row));
    case Qt::DecorationRole:
      return column.colour ? column.colour(row) : QVariant();
    case Qt::TextAlignmentRole:
      return static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || static_cast<std::size_t>(section) >= columns_->size()) return {};
  const TableColumn& column = (*columns_)[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return column.hint;
  if (role == Qt::TextAlignmentRole) {
    return static_cast<int>((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  return {};
}

}  // namespace opscope::ui
