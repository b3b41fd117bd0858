// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/roofline_panel.h"

#include <QPushButton>

#include "plots/roofline_plot.h"

namespace opscope::ui {

RooflinePanel::RooflinePanel(const SessionModel& session, Selection& selection, QWidget* parent)
    : RooflinePanel(new RooflinePlot(session, selection), session, selection, parent) {}

RooflinePanel::RooflinePanel(RooflinePlot* plot, const SessionModel& session, Selection& selection,
                             QWidget* parent)
    : PlotAndWords(plot, parent),
      selection_(selection),
      plot_(plot),
      measure_(new QPushButton(tr("Measure the ceilings"))) {
  measure_->setToolTip(tr("How fast the device in the bar above copies and multiplies: a minute or two"));
  addBelowWords(measure_);
  connect(measure_, &QPushButton::clicked, this, &RooflinePanel::ceilingsRequested);
  // After the plot, which has then derived what is shown.
  connect(&selection_, &Selection::changed, this, [this](const Selected& now, const Selected& before) {
    if (now.run != before.run) follow();
  });
  connect(&session, &SessionModel::changed, this, &RooflinePanel::follow);
  follow();
}

void RooflinePanel::follow() {
  const auto run = selection_.now().run;
  const Roofline& shown = plot_->roofline();
  say(run ? rooflineWords(shown, run) : QStringList{tr("No run selected.")});
  measure_->setVisible(run && (!shown.memory || (!shown.ofBytes && !shown.matrix)));
}

}  // namespace opscope::ui
