// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/runs_panel.h"

#include "state/focus.h"
#include "state/text.h"

namespace opscope::ui {

RunsPanel::RunsPanel(SessionModel& session, Selection& selection, QWidget* parent)
    : QListWidget(parent), session_(session), selection_(selection) {
  setAccessibleName(tr("Runs"));
  setAlternatingRowColors(true);
  setTextElideMode(Qt::ElideRight);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(&session_, &SessionModel::changed, this, &RunsPanel::fill);
  connect(&session_, &SessionModel::baselineChanged, this, &RunsPanel::fill);
  connect(&selection_, &Selection::changed, this, &RunsPanel::showSelected);
  connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
    if (following_ || row < 0) return;
    const auto& runs = session_.runs();
    selection_.select(openingSelection(runs[runs.size() - 1 - static_cast<std::size_t>(row)]));
  });
  fill();
}

void RunsPanel::fill() {
  following_ = true;
  clear();
  const auto& runs = session_.runs();
  for (std::size_t i = runs.size(); i-- > 0;) {
    const Run& run = *runs[i];
    QString second = QStringLiteral("%1 %2").arg(text(run.workload), text(run.dtype));
    if (run.cancelled) second += tr(", stopped early");
    const auto& baseline = session_.baseline();
    if (baseline && baseline->run == runs[i]) {
      second += tr("\nbaseline: %1").arg(text(run.implementations[baseline->implementation].name));
    }
    auto* item = new QListWidgetItem(
        tr("%1  %2\n%3\n%4").arg(i + 1).arg(text(run.op), second, text(run.deviceName)), this);
    item->setToolTip(
        tr("%1, %2, %3 figures\n%4")
            .arg(text(run.deviceName), text(run.method), text(run.figures), wallTimeText(run.startedUnixNs)));
  }
  following_ = false;
  showSelected();
}

void RunsPanel::showSelected() {
  const auto& runs = session_.runs();
  following_ = true;
  int row = -1;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i] == selection_.now().run) row = static_cast<int>(runs.size() - 1 - i);
  }
  if (currentRow() != row) setCurrentRow(row);
  following_ = false;
}

}  // namespace opscope::ui
