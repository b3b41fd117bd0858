// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/sweep_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "plots/sweep_plot.h"
#include "state/text.h"

namespace opscope::ui {

SweepPanel::SweepPanel(const SessionModel& session, Selection& selection, QWidget* parent)
    : SweepPanel(new SweepPlot(session, selection), selection, parent) {}

SweepPanel::SweepPanel(SweepPlot* plot, Selection& selection, QWidget* parent)
    : PlotAndWords(plot, parent),
      selection_(selection),
      plot_(plot),
      axes_(new QComboBox),
      quantity_(new QComboBox) {
  axes_->setAccessibleName(tr("Dimension"));
  axes_->setToolTip(tr("The dimension of the shape along which the runs differ"));
  axes_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  quantity_->setAccessibleName(tr("Quantity"));
  quantity_->addItem(tr("busy"));
  quantity_->addItem(tr("efficiency"));
  auto* row = new QWidget;
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(quantity_);
  layout->addWidget(new QLabel(tr("over")));
  layout->addWidget(axes_);
  addBelowWords(row);
  auto* start = new QPushButton(tr("Sweep..."));
  start->setToolTip(tr("Measures what is picked above over the sizes of one dimension"));
  addBelowWords(start);
  connect(start, &QPushButton::clicked, this, &SweepPanel::sweepRequested);
  connect(axes_, &QComboBox::activated, this, [this] { plot_->setAxis(axes_->currentText().toStdString()); });
  connect(quantity_, &QComboBox::currentIndexChanged, this, [this](int chosen) {
    plot_->setQuantity(chosen == 1 ? SweepPlot::Quantity::Efficiency : SweepPlot::Quantity::Busy);
  });
  connect(plot_, &SweepPlot::rebuilt, this, &SweepPanel::follow);
  follow();
}

SweepPlot& SweepPanel::plot() {
  plot_->catchUp();
  return *plot_;
}

void SweepPanel::follow() {
  const auto run = selection_.now().run;
  const Sweep& shown = plot_->sweep();
  axes_->clear();
  for (const std::string& dim : plot_->axes()) axes_->addItem(text(dim));
  axes_->setCurrentText(text(shown.dim));
  axes_->setEnabled(axes_->count() > 1);
  const bool efficiency = shown.hasEfficiency();
  if (!efficiency) quantity_->setCurrentIndex(0);
  quantity_->setEnabled(efficiency);
  quantity_->setToolTip(efficiency ? QString()
                                   : tr("No ceilings hold for these runs: there is no efficiency"));
  if (!run) {
    say({tr("No run selected.")});
  } else if (shown.sizes.empty()) {
    say({tr("No other run of %1 differs from this one in one dimension alone. `opscope sweep --axis "
            "%2=128:8192:2x --session FILE` measures such runs, and so does the button below.")
             .arg(text(run->op), run->dims.empty() ? QStringLiteral("M") : text(run->dims.begin()->first))});
  } else {
    say(sweepWords(shown, run));
  }
}

}  // namespace opscope::ui
