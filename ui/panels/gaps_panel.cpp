// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/gaps_panel.h"

#include "base/text_key.h"
#include "state/colours.h"
#include "state/inspection.h"
#include "state/navigation.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {

GapsPanel::GapsPanel(Selection& selection, QWidget* parent) : TablePanel(selection, tr("Gaps"), parent) {
  start();
}

void GapsPanel::fill(const Selected& now, const Selected& before) {
  if (now.run && now.run == before.run && now.pass == before.pass && now.iteration == before.iteration)
    return;
  from_ = to_ = 0;
  const Pass* chosen = now.passOrNull();
  if (!chosen || now.iteration < 0) {
    const QString why = keptText(now);
    setContents(0, {}, why.isEmpty() ? tr("No iteration selected.") : why);
    return;
  }
  const auto pass = now.run->passes[static_cast<std::size_t>(now.pass)];
  if (pass->failure || now.run->implementations[pass->implementation].failure) {
    setContents(0, {}, tr("This implementation has no number."));
    return;
  }
  if (pass->kept != RecordsKept::All) {
    setContents(0, {}, keptText(now));
    return;
  }
  const IndexRange range = gapsOf(*pass, static_cast<std::uint32_t>(now.iteration));
  from_ = range.from;
  to_ = range.to;
  const TimeUnit unit = unitOf(*now.run);
  const QString suffix = QStringLiteral(" (%1)").arg(text(suffixOf(unit)));
  const auto gapAt = [pass, from = from_](std::size_t row) -> const Gap& { return pass->gaps[from + row]; };
  Ns origin = 0;
  for (const Gap& gap : std::span(pass->gaps).subspan(range.from, range.to - range.from)) {
    const Ns first =
        gap.before < pass->trace.kernels.size() ? pass->trace.kernels[gap.before].start : gap.start;
    if (origin == 0 || first < origin) origin = first;
  }
  const auto nameIdOf = [pass](std::uint32_t kernel) {
    return kernel < pass->trace.kernels.size() ? pass->trace.kernels[kernel].nameId : ~std::uint32_t{0};
  };
  const auto nameOfKernel = [pass](std::uint32_t kernel) {
    if (kernel >= pass->trace.kernels.size()) return QString();
    return text(kernelBaseName(pass->trace.names.text(pass->trace.kernels[kernel].nameId)));
  };
  std::vector<TableColumn> columns;
  columns.push_back({tr("Cause"),
                     tr("What the records allow to be said"),
                     [gapAt](std::size_t row) { return text(nameOf(gapAt(row).cause)); },
                     {},
                     [gapAt](std::size_t row) { return QVariant(causeColour(gapAt(row).cause)); },
                     [gapAt](std::size_t row) { return static_cast<std::uint32_t>(gapAt(row).cause); }});
  const auto time = [&](const QString& title, const QString& hint, auto value) {
    columns.push_back(
        {title + suffix,
         hint,
         [=](std::size_t row) { return text(formatIn(unit, static_cast<double>(value(gapAt(row))))); },
         [=](std::size_t row) { return static_cast<double>(value(gapAt(row))); },
         {},
         {},
         [unit](double ns) { return textKeyIn(unit, ns); },
         true});
  };
  time(tr("Start"), tr("From the iteration's first kernel"),
       [origin](const Gap& gap) { return gap.start - origin; });
  time(tr("Length"), tr("The parts add up to it exactly"), [](const Gap& gap) { return gap.length(); });
  time(tr("Host"), tr("The next kernel had not been issued"), [](const Gap& gap) { return gap.host; });
  time(tr("Device"), tr("Issued; the device had not started it"), [](const Gap& gap) { return gap.device; });
  time(tr("Copy"), tr("A copy or fill was running"), [](const Gap& gap) { return gap.copy; });
  time(tr("Instrument"), tr("The instrument held the host"), [](const Gap& gap) { return gap.instrument; });
  columns.push_back({tr("Before"),
                     tr("The kernel whose end opened the gap"),
                     [=](std::size_t row) { return nameOfKernel(gapAt(row).before); },
                     {},
                     {},
                     [=](std::size_t row) { return nameIdOf(gapAt(row).before); }});
  columns.push_back({tr("After"),
                     tr("The kernel that ended it"),
                     [=](std::size_t row) { return nameOfKernel(gapAt(row).after); },
                     {},
                     {},
                     [=](std::size_t row) { return nameIdOf(gapAt(row).after); }});
  columns.push_back(
      {.title = tr("Evidence"),
       .hint = tr("The instants the cause rests on"),
       .text = [=](std::size_t row) { return gapSentence(*pass, gapAt(row)); },
       .searched = false});  // other instants in every row: nothing to look for, and slow to make
  setContents(to_ - from_, std::move(columns), tr("The device was never idle in this iteration."));
}

std::optional<std::size_t> GapsPanel::rowOf(const Selected& now) const {
  if (now.item.kind != SelectedItem::Kind::Gap || now.item.index < from_ || now.item.index >= to_)
    return std::nullopt;
  return now.item.index - from_;
}

void GapsPanel::choose(std::size_t row) {
  selection_.selectItem({SelectedItem::Kind::Gap, from_ + static_cast<std::uint32_t>(row)});
}

}  // namespace opscope::ui
