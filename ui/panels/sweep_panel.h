// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/plot_and_words.h"
#include "state/selection.h"
#include "state/session_model.h"

class QComboBox;

namespace opscope::ui {

class SweepPlot;

/// The sweep, of which dimension and quantity it is, and where one is started.
class SweepPanel : public PlotAndWords {
  Q_OBJECT
 public:
  SweepPanel(const SessionModel& session, Selection& selection, QWidget* parent = nullptr);
  /// Up to date, even where it is hidden.
  SweepPlot& plot();

 Q_SIGNALS:
  void sweepRequested();

 private:
  SweepPanel(SweepPlot* plot, Selection& selection, QWidget* parent);
  void follow();

  Selection& selection_;
  SweepPlot* plot_;
  QComboBox* axes_;
  QComboBox* quantity_;
};

}  // namespace opscope::ui
