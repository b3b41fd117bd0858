// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/methods_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "session/summary_rows.h"
#include "state/colours.h"
#include "state/focus.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr double kNone = -1e300;  // sorted before every reading

// One call by the quickest method decides: the others are compared with it.
TimeUnit unitOfRows(const std::vector<MethodRow>& rows) {
  double smallest = 0;
  for (const MethodRow& row : rows) {
    const double median = row.reading.perCall.median;
    if (!row.reading.failure && median > 0 && (smallest == 0 || median < smallest)) smallest = median;
  }
  return smallest > 0 ? unitFor(smallest) : TimeUnit::Microseconds;
}

}  // namespace

MethodsTable::MethodsTable(Selection& selection, QWidget* parent)
    : TablePanel(selection, tr("Methods"), parent) {
  start();
}

void MethodsTable::fill(const Selected& now, const Selected& before) {
  if (now.run && now.run == before.run) return;
  rows_ = now.run ? methodsOf(*now.run) : std::vector<MethodRow>{};
  if (rows_.empty()) {
    setContents(0, {},
                now.run
                    ? tr("This run was timed by its records alone. \"Measure methods\" measures its calls "
                         "again, also by an event pair, a loop, replays of a graph and the host's clock.")
                    : tr("No run selected."));
    return;
  }
  const auto rows = std::make_shared<const std::vector<MethodRow>>(rows_);
  const auto run = now.run;
  const TimeUnit unit = unitOfRows(rows_);
  const auto at = [rows](std::size_t row) -> const MethodRow& { return (*rows)[row]; };
  const auto number = [at](const QString& title, const QString& hint, auto value, auto shown) {
    return TableColumn{
        title,
        hint,
        [=](std::size_t row) { return at(row).reading.failure ? QString() : shown(value(at(row))); },
        [=](std::size_t row) {
          return at(row).reading.failure ? kNone : static_cast<double>(value(at(row)));
        },
        {}};
  };
  const auto time = [unit](double ns) { return text(formatIn(unit, ns)); };
  const auto count = [](auto n) { return QString::number(n); };
  std::vector<TableColumn> columns;
  columns.push_back(
      {tr("Implementation"),
       tr("Whose call"),
       [at, run](std::size_t row) {
         return letterOf(at(row).implementation) + QLatin1Char(' ') +
                text(run->implementations[at(row).implementation].name);
       },
       {},
       [at](std::size_t row) { return QVariant(implementationColour(at(row).implementation)); }});
  columns.push_back({tr("Method"),
                     tr("Only the records are the number; the others show what other tools include"),
                     [at](std::size_t row) {
                       const QString name = text(at(row).reading.method);
                       return at(row).isTheNumber ? tr("%1 (the number)").arg(name) : name;
                     },
                     {},
                     {}});
  columns.push_back(number(
      tr("One call (%1)").arg(text(suffixOf(unit))), tr("The median of the readings"),
      [](const MethodRow& row) { return row.reading.perCall.median; }, time));
  columns.push_back(number(
      tr("Times the number"), tr("The median over that of the records: what the method adds"),
      [](const MethodRow& row) { return row.times.value_or(0); },
      [](double times) { return times > 0 ? text(formatNumber(times)) : QString(); }));
  columns.push_back(number(
      tr("p10"), tr("Of the readings"), [](const MethodRow& row) { return row.reading.perCall.p10; }, time));
  columns.push_back(number(
      tr("p90"), tr("Of the readings"), [](const MethodRow& row) { return row.reading.perCall.p90; }, time));
  columns.push_back(
      number(tr("n"), tr("Readings"), [](const MethodRow& row) { return row.reading.perCall.n; }, count));
  columns.push_back(number(
      tr("Calls each"), tr("A reading is the mean over so many calls"),
      [](const MethodRow& row) { return row.reading.callsPerReading; }, count));
  columns.push_back({tr("L2"),
                     tr("The caches before each call: a method that cannot clear them measures warm"),
                     [at](std::size_t row) { return text(at(row).reading.l2); },
                     {},
                     {}});
  columns.push_back({.title = tr("Includes"),
                     .hint = tr("What the reading has in it, or why there is none"),
                     .text =
                         [at](std::size_t row) {
                           const MethodReading& reading = at(row).reading;
                           return reading.failure ? text(failureText(*reading.failure))
                                                  : text(reading.includes);
                         },
                     .whole = true});
  setContents(rows_.size(), std::move(columns), {});
}

std::optional<std::size_t> MethodsTable::rowOf(const Selected& now) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (static_cast<std::int32_t>(rows_[i].implementation) == now.implementation() && rows_[i].isTheNumber)
      return i;
  return std::nullopt;
}

void MethodsTable::choose(std::size_t row) {
  const std::uint32_t chosen = rows_[row].implementation;
  // Within an implementation the rows are one and the same selection.
  if (static_cast<std::int32_t>(chosen) == selection_.now().implementation()) return;
  selection_.select(medianSelection(selection_.now().run, chosen));
}

MethodsPanel::MethodsPanel(Selection& selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      table_(new MethodsTable(selection)),
      words_(new QLabel),
      measure_(new QPushButton(tr("Measure methods"))) {
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  measure_->setToolTip(tr("Measures the calls of the selected run again, by all methods"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 2);
  layout->setSpacing(2);
  layout->addWidget(table_, 1);
  auto* below = new QHBoxLayout;
  below->setContentsMargins(6, 0, 6, 0);
  below->addWidget(measure_);
  below->addWidget(words_, 1);
  layout->addLayout(below);
  connect(measure_, &QPushButton::clicked, this, &MethodsPanel::methodsRequested);
  connect(&selection_, &Selection::changed, this, [this](const Selected& now, const Selected& before) {
    if (now.run != before.run) follow();
  });
  follow();
}

void MethodsPanel::follow() {
  const auto run = selection_.now().run;
  words_->setText(run ? tracingWords(*run).join(QLatin1Char(' ')) : QString());
  measure_->setEnabled(run != nullptr);
}

QString MethodsPanel::words() const {
  return words_->text();
}

}  // namespace opscope::ui
