// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>

#include "state/selection.h"
#include "state/session_model.h"

namespace opscope::ui {

/// The runs of the window, newest first; choosing one opens its median iteration.
class RunsPanel : public QListWidget {
  Q_OBJECT
 public:
  RunsPanel(SessionModel& session, Selection& selection, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {210, 300}; }

 private:
  void fill();
  void showSelected();

  SessionModel& session_;
  Selection& selection_;
  bool following_ = false;
};

}  // namespace opscope::ui
