// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

#include "state/selection.h"

namespace opscope::ui {

/// Everything that is known of what is selected, exact to the ns; its text can be selected and copied.
class InspectorPanel : public QTextBrowser {
  Q_OBJECT
 public:
  explicit InspectorPanel(Selection& selection, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {300, 400}; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();

  Selection& selection_;
};

}  // namespace opscope::ui
