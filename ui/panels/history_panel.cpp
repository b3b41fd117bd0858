// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/history_panel.h"

#include "plots/history_plot.h"

namespace opscope::ui {

HistoryPanel::HistoryPanel(SessionModel& session, Selection& selection, QWidget* parent)
    : HistoryPanel(new HistoryPlot(session, selection), selection, parent) {}

HistoryPanel::HistoryPanel(HistoryPlot* plot, Selection& selection, QWidget* parent)
    : PlotAndWords(plot, parent), selection_(selection), plot_(plot) {
  connect(plot_, &HistoryPlot::rebuilt, this, &HistoryPanel::follow);
  follow();
}

HistoryPlot& HistoryPanel::plot() {
  plot_->catchUp();
  return *plot_;
}

void HistoryPanel::follow() {
  const Selected& now = selection_.now();
  if (!now.run)
    say({tr("No run selected.")});
  else
    say(historyWords(plot_->history(), now.run, now.implementation()));
}

}  // namespace opscope::ui
