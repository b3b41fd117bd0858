// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/roofline_panel.h"

#include <QPushButton>

#include "plots/roofline_plot.h"

namespace opscope::ui {

RooflinePanel::RooflinePanel(const SessionModel& session, Selection& selection, QWidget* parent)
    : RooflinePanel(new RooflinePlot(session, selection), selection, parent) {}

RooflinePanel::RooflinePanel(RooflinePlot* plot, Selection& selection, QWidget* parent)
    : PlotAndWords(plot, parent),
      selection_(selection),
      plot_(plot),
      measure_(new QPushButton(tr("Measure the ceilings"))) {
  measure_->setToolTip(tr("How fast the device in the bar above copies and multiplies: a minute or two"));
  addBelowWords(measure_);
  connect(measure_, &QPushButton::clicked, this, &RooflinePanel::ceilingsRequested);
  connect(plot_, &RooflinePlot::rebuilt, this, &RooflinePanel::follow);
  follow();
}

RooflinePlot& RooflinePanel::plot() {
  plot_->catchUp();
  return *plot_;
}

void RooflinePanel::follow() {
  const auto run = selection_.now().run;
  const Roofline& shown = plot_->roofline();
  say(run ? rooflineWords(shown, run) : QStringList{tr("No run selected.")});
  measure_->setVisible(run && (!shown.memory || (!shown.ofBytes && !shown.matrix)));
}

}  // namespace opscope::ui
