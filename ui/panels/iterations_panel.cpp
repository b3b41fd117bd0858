// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/iterations_panel.h"

#include <algorithm>

#include "base/text_key.h"
#include "session/kept.h"
#include "state/colours.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {

IterationsPanel::IterationsPanel(Selection& selection, QWidget* parent)
    : TablePanel(selection, tr("Iterations"), parent) {
  start();
}

void IterationsPanel::fill(const Selected& now, const Selected& before) {
  if (now.run && now.run == before.run && now.brush == before.brush) return;
  rows_.clear();
  if (!now.run) {
    setContents(0, {}, tr("No run selected."));
    return;
  }
  const auto run = now.run;
  for (std::uint32_t p = 0; p < run->passes.size(); ++p) {
    const Pass& pass = *run->passes[p];
    if (pass.implementation >= run->implementations.size()) continue;
    if (run->implementations[pass.implementation].failure || pass.failure) continue;
    for (std::uint32_t i = 0; i < pass.samples.size(); ++i) {
      if (!now.brush || now.brush->holds(pass.samples[i])) rows_.push_back({p, i});
    }
  }
  const TimeUnit unit = unitOf(*run);
  const auto rows = std::make_shared<const std::vector<IterationRef>>(rows_);
  const auto passOf = [run, rows](std::size_t row) -> const Pass& { return *run->passes[(*rows)[row].pass]; };
  const auto sampleOf = [passOf, rows](std::size_t row) -> const Sample& {
    return passOf(row).samples[(*rows)[row].iteration];
  };
  const auto time = [unit, sampleOf](const QString& title, const QString& hint, auto value) {
    return TableColumn{
        title + QStringLiteral(" (%1)").arg(text(suffixOf(unit))),
        hint,
        [=](std::size_t row) { return text(formatIn(unit, static_cast<double>(value(sampleOf(row))))); },
        [=](std::size_t row) { return static_cast<double>(value(sampleOf(row))); },
        {},
        {},
        [unit](double ns) { return textKeyIn(unit, ns); },
        true};
  };
  std::vector<TableColumn> columns;
  columns.push_back(
      {tr("Implementation"),
       tr("Which implementation ran"),
       [run, passOf](std::size_t row) {
         const auto at = passOf(row).implementation;
         return letterOf(at) + QLatin1Char(' ') + text(run->implementations[at].name);
       },
       {},
       [passOf](std::size_t row) { return QVariant(implementationColour(passOf(row).implementation)); },
       [passOf](std::size_t row) { return passOf(row).implementation; }});
  columns.push_back({tr("Pass"),
                     tr("In the order the passes ran"),
                     [rows](std::size_t row) { return QString::number((*rows)[row].pass + 1); },
                     [rows](std::size_t row) { return static_cast<double>((*rows)[row].pass); },
                     {},
                     {},
                     {},
                     true});
  columns.push_back({tr("Iteration"),
                     tr("Counts from 0 in each pass"),
                     [rows](std::size_t row) { return QString::number((*rows)[row].iteration); },
                     [rows](std::size_t row) { return static_cast<double>((*rows)[row].iteration); },
                     {},
                     {},
                     {},
                     true});
  columns.push_back(time(tr("Busy"), tr("Union of the kernels' execution intervals: the number"),
                         [](const Sample& sample) { return sample.busy; }));
  columns.push_back(time(tr("Latency"), tr("Latest end minus earliest start: widened by the instrument"),
                         [](const Sample& sample) { return sample.latency; }));
  columns.push_back(
      time(tr("Gap"), tr("Latency minus busy"), [](const Sample& sample) { return sample.gap(); }));
  columns.push_back({tr("Kernels"),
                     tr("Kernels of the iteration"),
                     [sampleOf](std::size_t row) { return QString::number(sampleOf(row).kernels); },
                     [sampleOf](std::size_t row) { return static_cast<double>(sampleOf(row).kernels); },
                     {},
                     {},
                     {},
                     true});
  columns.push_back({tr("Copies"),
                     tr("Copies and fills of the iteration: in no busy figure"),
                     [sampleOf](std::size_t row) { return QString::number(sampleOf(row).memops); },
                     [sampleOf](std::size_t row) { return static_cast<double>(sampleOf(row).memops); },
                     {},
                     {},
                     {},
                     true});
  columns.push_back(time(tr("Copy time"), tr("Time in copies and fills: in no busy figure"),
                         [](const Sample& sample) { return sample.memopTime; }));
  setContents(rows_.size(), std::move(columns),
              keptOf(*run) == RecordsKept::None ? keptText(now)
              : now.brush                       ? tr("No iteration lies in the brushed range.")
                                                : tr("No implementation of this run has a number."));
}

std::optional<std::size_t> IterationsPanel::rowOf(const Selected& now) const {
  const IterationRef wanted{static_cast<std::uint32_t>(now.pass), static_cast<std::uint32_t>(now.iteration)};
  const auto found = std::find(rows_.begin(), rows_.end(), wanted);
  if (now.pass < 0 || now.iteration < 0 || found == rows_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - rows_.begin());
}

void IterationsPanel::choose(std::size_t row) {
  selection_.selectIteration(static_cast<std::int32_t>(rows_[row].pass),
                             static_cast<std::int32_t>(rows_[row].iteration));
}

}  // namespace opscope::ui
