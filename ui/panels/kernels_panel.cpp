// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/kernels_panel.h"

#include <algorithm>

#include "plots/theme.h"
#include "state/colours.h"
#include "state/inspection.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {

KernelsPanel::KernelsPanel(Selection& selection, QWidget* parent)
    : TablePanel(selection, tr("Kernels"), parent) {
  start();
}

void KernelsPanel::fill(const Selected& now, const Selected& before) {
  if (groups_ && now.run == before.run && now.implementation() == before.implementation()) return;
  groups_ = std::make_shared<const std::vector<KernelGroup>>();
  if (const QString why = keptText(now); !why.isEmpty() || !now.run || now.implementation() < 0) {
    setContents(0, {}, why.isEmpty() ? tr("No iteration selected.") : why);
    return;
  }
  const auto implementation = static_cast<std::uint32_t>(now.implementation());
  std::size_t records = 0;
  for (const Pass* pass : now.run->passesOf(implementation)) records += PassIndexes::recordsOf(*pass);
  grouping_.drop();
  if (records <= PassIndexes::kAtOnce) {
    show(now.run, kernelGroups(*now.run, implementation));
    return;
  }
  setContents(0, {}, tr("Grouping the kernels."));
  grouping_.request([this, run = now.run, implementation]() -> std::function<void()> {
    auto groups = std::make_shared<std::vector<KernelGroup>>(kernelGroups(*run, implementation));
    return [this, run, groups] {
      show(run, std::move(*groups));
      showSelected();
    };
  });
}

void KernelsPanel::show(const std::shared_ptr<const Run>& run, std::vector<KernelGroup> found) {
  groups_ = std::make_shared<const std::vector<KernelGroup>>(std::move(found));
  const TimeUnit unit = unitOf(*run);
  const QString suffix = QStringLiteral(" (%1)").arg(text(suffixOf(unit)));
  const auto groups = groups_;
  const bool dark = plotTheme(palette()).dark;
  std::vector<TableColumn> columns;
  columns.push_back(
      {tr("Kernel"),
       tr("As the device names it"),
       [groups](std::size_t row) { return text((*groups)[row].name); },
       {},
       [groups, dark](std::size_t row) { return QVariant(kernelColour((*groups)[row].name, dark)); }});
  const auto number = [&columns, groups](const QString& title, const QString& hint, auto value, auto shown) {
    columns.push_back({title,
                       hint,
                       [groups, shown](std::size_t row) { return shown((*groups)[row]); },
                       [groups, value](std::size_t row) { return value((*groups)[row]); },
                       {}});
  };
  const auto time = [unit](double ns) { return text(formatIn(unit, ns)); };
  number(
      tr("Per iteration"), tr("How often one iteration launches it"),
      [](const KernelGroup& group) { return group.perIteration; },
      [](const KernelGroup& group) { return text(formatNumber(group.perIteration)); });
  number(
      tr("Total") + suffix, tr("Per iteration, on average; overlaps count twice"),
      [](const KernelGroup& group) { return group.totalNs; },
      [time](const KernelGroup& group) { return time(group.totalNs); });
  number(
      tr("Median") + suffix, tr("Of one kernel"), [](const KernelGroup& group) { return group.medianNs; },
      [time](const KernelGroup& group) { return time(group.medianNs); });
  number(
      tr("Share"), tr("Of the time of all kernels"), [](const KernelGroup& group) { return group.share; },
      [](const KernelGroup& group) { return text(formatShare(group.share)); });
  if (std::any_of(groups->begin(), groups->end(), [](const auto& one) { return one.occupancy; })) {
    number(
        tr("Occupancy"),
        tr("Warps of this kernel that fit on a multiprocessor at once, by its launch, of those that it can "
           "hold; in brackets what ran out first"),
        [](const KernelGroup& group) { return group.occupancy ? group.occupancy->share() : -1; },
        [](const KernelGroup& group) {
          if (!group.occupancy) return QString();
          return group.occupancy->share() == 1
                     ? text(formatShare(1))
                     : QStringLiteral("%1 (%2)").arg(text(formatShare(group.occupancy->share())),
                                                     occupancyLimitText(group.occupancy->limit));
        });
  }
  const auto bytes = [&](const QString& title, const QString& hint,
                         std::optional<double> KernelGroup::* moved) {
    if (std::none_of(groups->begin(), groups->end(), [&](const auto& one) { return one.*moved; })) return;
    number(
        title, hint, [moved](const KernelGroup& group) { return (group.*moved).value_or(-1); },
        [moved](const KernelGroup& group) {
          return group.*moved ? text(formatBytes(*(group.*moved))) : QString();
        });
  };
  bytes(tr("DRAM"),
        tr("Read and written per call, counted after the timed passes: the median over the calls"),
        &KernelGroup::dramBytes);
  bytes(tr("L2"), tr("Through L2 per call, counted after the timed passes: the median over the calls"),
        &KernelGroup::l2Bytes);
  columns.push_back({tr("Grid"),
                     tr("Blocks of the launch"),
                     [groups](std::size_t row) {
                       const LaunchShape& shape = (*groups)[row].shape;
                       return extentText(shape.gridX, shape.gridY, shape.gridZ);
                     },
                     {},
                     {}});
  columns.push_back({tr("Block"),
                     tr("Threads of a block"),
                     [groups](std::size_t row) {
                       const LaunchShape& shape = (*groups)[row].shape;
                       return extentText(shape.blockX, shape.blockY, shape.blockZ);
                     },
                     {},
                     {}});
  number(
      tr("Registers"), tr("Per thread"),
      [](const KernelGroup& group) { return static_cast<double>(group.shape.registersPerThread); },
      [](const KernelGroup& group) { return QString::number(group.shape.registersPerThread); });
  number(
      tr("Shared (B)"), tr("Shared memory per block, static and dynamic"),
      [](const KernelGroup& group) {
        return static_cast<double>(group.shape.staticSharedBytes + group.shape.dynamicSharedBytes);
      },
      [](const KernelGroup& group) {
        return QString::number(group.shape.staticSharedBytes + group.shape.dynamicSharedBytes);
      });
  setContents(groups_->size(), std::move(columns), tr("This implementation has no number."));
}

std::optional<std::size_t> KernelsPanel::rowOf(const Selected& now) const {
  const Pass* pass = now.passOrNull();
  if (!pass || now.item.kind != SelectedItem::Kind::Kernel || now.item.index >= pass->trace.kernels.size()) {
    return std::nullopt;
  }
  const KernelRecord& kernel = pass->trace.kernels[now.item.index];
  if (kernel.shapeId >= pass->trace.shapes.size()) return std::nullopt;
  for (std::size_t i = 0; i < groups_->size(); ++i) {
    const KernelGroup& group = (*groups_)[i];
    if (group.name == pass->trace.names.text(kernel.nameId) &&
        group.shape == pass->trace.shapes[kernel.shapeId])
      return i;
  }
  return std::nullopt;
}

void KernelsPanel::choose(std::size_t row) {
  const KernelGroup& group = (*groups_)[row];
  Selected next = selection_.now();
  // The kernel of the iteration in view when it has one; else an example from elsewhere.
  const auto records = selection_.indexes().of(next.run->passes[static_cast<std::size_t>(next.pass)]);
  if (records && next.iteration >= 0) {
    const Trace& trace = records->pass().trace;
    for (const std::uint32_t k : records->attribution().kernelsOf(static_cast<std::size_t>(next.iteration))) {
      const KernelRecord& kernel = trace.kernels[k];
      if (kernel.shapeId >= trace.shapes.size() || !(trace.shapes[kernel.shapeId] == group.shape)) continue;
      if (trace.names.text(kernel.nameId) != group.name) continue;
      selection_.selectItem({SelectedItem::Kind::Kernel, k});
      return;
    }
  }
  next.pass = static_cast<std::int32_t>(group.pass);
  next.iteration = static_cast<std::int32_t>(group.iteration);
  next.item = {SelectedItem::Kind::Kernel, group.kernel};
  next.range.reset();
  selection_.select(std::move(next));
}

}  // namespace opscope::ui
