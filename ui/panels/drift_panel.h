// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace opscope::ui {

class DriftPlot;
class Selection;

/// The drift plot and how its values are meant.
class DriftPanel : public QWidget {
  Q_OBJECT
 public:
  explicit DriftPanel(Selection& selection, QWidget* parent = nullptr);
  DriftPlot& plot() { return *plot_; }

 private:
  DriftPlot* plot_;
};

}  // namespace opscope::ui
