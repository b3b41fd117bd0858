// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/plot_and_words.h"
#include "state/selection.h"
#include "state/session_model.h"

namespace opscope::ui {

class HistoryPlot;

/// The history of the selected run's numbers, and what is to be said of it.
class HistoryPanel : public PlotAndWords {
  Q_OBJECT
 public:
  HistoryPanel(SessionModel& session, Selection& selection, QWidget* parent = nullptr);
  /// Up to date, even where it is hidden.
  HistoryPlot& plot();

 private:
  HistoryPanel(HistoryPlot* plot, Selection& selection, QWidget* parent);
  void follow();

  Selection& selection_;
  HistoryPlot* plot_;
};

}  // namespace opscope::ui
