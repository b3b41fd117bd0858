// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/drift_panel.h"

#include <QCheckBox>
#include <QVBoxLayout>

#include "plots/drift_plot.h"

namespace opscope::ui {

DriftPanel::DriftPanel(Selection& selection, QWidget* parent)
    : QWidget(parent), plot_(new DriftPlot(selection)) {
  auto* relative = new QCheckBox(tr("Against each implementation's own median"));
  relative->setChecked(plot_->isRelative());
  relative->setToolTip(tr("So that the drift of a fast one and a slow one are seen alike"));
  connect(relative, &QCheckBox::toggled, plot_, &DriftPlot::setRelative);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 2, 4, 2);
  layout->setSpacing(2);
  layout->addWidget(relative);
  layout->addWidget(plot_, 1);
}

}  // namespace opscope::ui
