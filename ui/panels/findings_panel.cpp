// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/findings_panel.h"

#include <QStyle>

#include "state/focus.h"
#include "state/text.h"

namespace opscope::ui {

FindingsPanel::FindingsPanel(Selection& selection, QWidget* parent)
    : QListWidget(parent), selection_(selection), seen_(*this, [this] { fill(); }) {
  setAccessibleName(tr("Findings"));
  setWordWrap(true);
  setAlternatingRowColors(true);
  setResizeMode(QListView::Adjust);
  setSpacing(1);
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  connect(this, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) { choose(row(item)); });
  connect(this, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) { choose(row(item)); });
  fill();
}

void FindingsPanel::fill() {
  if (run_ == selection_.now().run && count() > 0) return;
  run_ = selection_.now().run;
  clear();
  if (!run_ || run_->findings.empty()) {
    auto* none =
        new QListWidgetItem(run_ ? tr("Nothing stands out in this run.") : tr("No run selected."), this);
    none->setFlags(Qt::ItemIsEnabled);
    return;
  }
  for (const Finding& finding : run_->findings) {
    const bool warning = finding.severity == Finding::Severity::Warning;
    auto* item = new QListWidgetItem(
        style()->standardIcon(warning ? QStyle::SP_MessageBoxWarning : QStyle::SP_MessageBoxInformation),
        text(finding.sentence), this);
    item->setData(Qt::AccessibleTextRole,
                  (warning ? tr("Warning. ") : tr("Note. ")) + text(finding.sentence));
    item->setToolTip(finding.pass >= 0 ? tr("Select the evidence (%1)").arg(text(finding.rule))
                                       : text(finding.rule));
  }
}

void FindingsPanel::choose(int row) {
  if (!run_ || row < 0 || static_cast<std::size_t>(row) >= run_->findings.size()) return;
  const Finding& finding = run_->findings[static_cast<std::size_t>(row)];
  Selected next;
  next.run = run_;
  next.pass = finding.pass;
  const Pass* pass = next.passOrNull();
  if (!pass) {
    if (finding.implementation >= 0) {
      selection_.select(medianSelection(run_, static_cast<std::uint32_t>(finding.implementation)));
    }
    return;
  }
  next.iteration = std::max(0, finding.iteration);
  if (finding.gap >= 0 && static_cast<std::size_t>(finding.gap) < pass->gaps.size()) {
    next.item = {SelectedItem::Kind::Gap, static_cast<std::uint32_t>(finding.gap)};
    next.iteration = static_cast<std::int32_t>(pass->gaps[static_cast<std::size_t>(finding.gap)].iteration);
  }
  selection_.select(std::move(next));
}

}  // namespace opscope::ui
