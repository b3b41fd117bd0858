// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/selection.h"

#include <utility>

#include "session/kept.h"
#include "state/text.h"

namespace opscope::ui {

Ns valueOf(const Sample& sample, Brush::Quantity quantity) {
  return quantity == Brush::Quantity::Busy ? sample.busy : sample.latency;
}

bool Brush::holds(const Sample& sample) const {
  const Ns value = valueOf(sample, quantity);
  return value >= from && value <= to;
}

const Pass* Selected::passOrNull() const {
  if (!run || pass < 0 || static_cast<std::size_t>(pass) >= run->passes.size()) return nullptr;
  return run->passes[static_cast<std::size_t>(pass)].get();
}

std::int32_t Selected::implementation() const {
  const Pass* chosen = passOrNull();
  return chosen ? static_cast<std::int32_t>(chosen->implementation) : -1;
}

void Selection::selectRun(std::shared_ptr<const Run> run) {
  Selected next;
  next.run = std::move(run);
  select(std::move(next));
}

void Selection::selectIteration(std::int32_t pass, std::int32_t iteration) {
  Selected next;
  next.run = now_.run;
  next.pass = pass;
  next.iteration = iteration;
  next.brush = now_.brush;
  const Pass* chosen = next.passOrNull();
  if (!chosen || iteration < 0 || static_cast<std::size_t>(iteration) >= chosen->trace.iterations.size())
    return;
  select(std::move(next));
}

void Selection::selectItem(SelectedItem item) {
  Selected next = now_;
  next.item = item;
  select(std::move(next));
}

void Selection::selectRange(std::optional<Interval> range) {
  Selected next = now_;
  next.range = range;
  select(std::move(next));
}

void Selection::selectBrush(std::optional<Brush> brush) {
  Selected next = now_;
  next.brush = brush;
  select(std::move(next));
}

QString keptText(const Selected& selected) {
  if (!selected.run) return {};
  const Pass* pass = selected.passOrNull();
  return text(keptSentence(pass ? pass->kept : keptOf(*selected.run)));
}

void Selection::select(Selected next) {
  if (next == now_) return;
  const Selected before = std::exchange(now_, std::move(next));
  Q_EMIT changed(now_, before);
}

}  // namespace opscope::ui
