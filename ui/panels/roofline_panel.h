// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/plot_and_words.h"
#include "state/selection.h"
#include "state/session_model.h"

class QPushButton;

namespace opscope::ui {

class RooflinePlot;

/// The roofline, how its points are to be read, and what to do where no ceiling is known.
class RooflinePanel : public PlotAndWords {
  Q_OBJECT
 public:
  RooflinePanel(const SessionModel& session, Selection& selection, QWidget* parent = nullptr);
  /// Up to date, even where it is hidden.
  RooflinePlot& plot();

 Q_SIGNALS:
  void ceilingsRequested();

 private:
  RooflinePanel(RooflinePlot* plot, Selection& selection, QWidget* parent);
  void follow();

  Selection& selection_;
  RooflinePlot* plot_;
  QPushButton* measure_;
};

}  // namespace opscope::ui
