// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "plots/when_seen.h"
#include "state/selection.h"

class QLabel;

namespace opscope::ui {

class DriftPlot;

/// The drift plot, how its values are meant, and what the comparison says of drift.
class DriftPanel : public QWidget {
  Q_OBJECT
 public:
  explicit DriftPanel(Selection& selection, QWidget* parent = nullptr);
  DriftPlot& plot() { return *plot_; }

 private:
  void say(const Selected& now);

  DriftPlot* plot_;
  QLabel* words_;
  WhenSeen seen_;
};

}  // namespace opscope::ui
