// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/table_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace opscope::ui {
namespace {

constexpr int kWidestColumn = 52;  // characters
constexpr int kWidestWhole = 64;
constexpr std::size_t kRowsWrapped = 200;  // more, and fitting the heights of rows costs a frame

}  // namespace

TablePanel::TablePanel(Selection& selection, const QString& name, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      model_(new TableModel(this)),
      view_(new QTableView(this)),
      filter_(new QLineEdit(this)),
      empty_(new QLabel(this)),
      seen_(*this, [this] { follow(); }) {
  filter_->setPlaceholderText(tr("Filter %1").arg(name.toLower()));
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName(tr("Filter %1").arg(name));
  view_->setModel(model_);
  view_->setAccessibleName(name);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->setSortingEnabled(true);
  view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  view_->horizontalHeader()->setSectionsMovable(true);
  view_->horizontalHeader()->setHighlightSections(false);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  view_->verticalHeader()->setMinimumSectionSize(fontMetrics().height() + 4);
  view_->setAlternatingRowColors(true);
  view_->setShowGrid(false);
  view_->setTextElideMode(Qt::ElideMiddle);
  empty_->setWordWrap(true);
  empty_->setAlignment(Qt::AlignCenter);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->setSpacing(4);
  layout->addWidget(filter_);
  layout->addWidget(view_, 1);
  layout->addWidget(empty_, 1);
  empty_->hide();

  connect(filter_, &QLineEdit::textChanged, model_, &TableModel::setFilter);
  connect(model_, &TableModel::arranged, this, [this] {
    fitRows();
    updateEmptyText();
    showSelected();
  });
  connect(view_->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
    if (std::find(wraps_.begin(), wraps_.end(), column) != wraps_.end()) fitRows();
  });
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& index) {
            if (following_ || !index.isValid()) return;
            choose(model_->sourceRow(index.row()));
          });
  auto* copy = new QShortcut(QKeySequence::Copy, view_);
  copy->setContext(Qt::WidgetShortcut);
  connect(copy, &QShortcut::activated, this, [this] { QApplication::clipboard()->setText(selectedText()); });
}

void TablePanel::start() {
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  seen_.ask();
}

void TablePanel::refill() {
  stale_ = true;
  seen_.ask();
}

const TableModel& TablePanel::model() {
  seen_.catchUp();
  return *model_;
}

QTableView& TablePanel::view() {
  seen_.catchUp();
  return *view_;
}

void TablePanel::setContents(std::size_t rows, std::vector<TableColumn> columns, const QString& whenEmpty) {
  following_ = true;
  whenEmpty_ = whenEmpty;
  wraps_.clear();
  for (std::size_t c = 0; c < columns.size() && rows <= kRowsWrapped; ++c)
    if (columns[c].whole) wraps_.push_back(static_cast<int>(c));
  view_->setWordWrap(!wraps_.empty());
  model_->setContents(rows, std::move(columns));
  sizeColumns();
  fitRows();
  updateEmptyText();
  following_ = false;
}

// Once, by a few rows: columns that change their width at every click cannot be read.
// Only in a table whose texts wrap does a column grow afterwards, for what came is longer: it would be a
// tower.
void TablePanel::sizeColumns() {
  if ((sized_ && wraps_.empty()) || model_->rowCount() == 0 || !isVisible()) return;
  std::vector<int> before(static_cast<std::size_t>(model_->columnCount()), 0);
  for (int c = 0; sized_ && c < model_->columnCount(); ++c)
    before[static_cast<std::size_t>(c)] = view_->columnWidth(c);
  sized_ = true;
  view_->resizeColumnsToContents();
  for (int c = 0; c < model_->columnCount(); ++c) {
    const int widest =
        std::find(wraps_.begin(), wraps_.end(), c) != wraps_.end() ? kWidestWhole : kWidestColumn;
    const int fitting = std::min(view_->columnWidth(c) + 12, fontMetrics().averageCharWidth() * widest);
    view_->setColumnWidth(c, std::max(fitting, before[static_cast<std::size_t>(c)]));
  }
}

void TablePanel::fitRows() {
  if (!wraps_.empty() && isVisible()) view_->resizeRowsToContents();
}

void TablePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  sizeColumns();
  fitRows();
}

void TablePanel::updateEmptyText() {
  const bool none = model_->rowCount() == 0;
  empty_->setText(filter_->text().isEmpty() ? whenEmpty_
                                            : tr("Nothing contains \"%1\".").arg(filter_->text()));
  empty_->setVisible(none);
  view_->setVisible(!none);
}

void TablePanel::follow() {
  const Selected now = selection_.now();
  fill(now, std::exchange(stale_, false) ? Selected{} : followed_);
  followed_ = now;
  showSelected();
}

void TablePanel::showSelected() {
  const auto source = rowOf(selection_.now());
  const int row = source ? model_->viewRow(*source) : -1;
  following_ = true;
  if (row < 0) {
    view_->clearSelection();
    view_->setCurrentIndex({});
  } else if (view_->currentIndex().row() != row || !view_->selectionModel()->isRowSelected(row)) {
    const QModelIndex index = model_->index(row, std::max(0, view_->currentIndex().column()));
    view_->selectionModel()->setCurrentIndex(index,
                                             QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    view_->scrollTo(index);
  }
  following_ = false;
}

QString TablePanel::selectedText() {
  seen_.catchUp();
  QStringList lines;
  QStringList cells;
  for (int c = 0; c < model_->columnCount(); ++c) {
    cells << model_->headerData(c, Qt::Horizontal).toString().replace(QLatin1Char('\n'), QLatin1Char(' '));
  }
  lines << cells.join(QLatin1Char('\t'));
  QModelIndexList rows = view_->selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end(),
            [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
  for (const QModelIndex& row : rows) {
    cells.clear();
    for (int c = 0; c < model_->columnCount(); ++c) cells << model_->index(row.row(), c).data().toString();
    lines << cells.join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void TablePanel::focusFilter() {
  filter_->setFocus(Qt::ShortcutFocusReason);
  filter_->selectAll();
}

}  // namespace opscope::ui
