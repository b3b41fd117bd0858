// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>

#include "plots/when_seen.h"
#include "state/inspection.h"
#include "state/selection.h"

namespace opscope::ui {

/// Everything that is known of what is selected, exact to the ns; its text can be selected and copied. A name
/// of thousands of characters is shortened: its tooltip has the whole, and a click copies it.
class InspectorPanel : public QTextBrowser {
  Q_OBJECT
 public:
  explicit InspectorPanel(Selection& selection, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {300, 400}; }

 protected:
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void fill();
  QString valueHtml(const InspectionRow& row);
  /// The whole name behind a link; empty for none.
  QString nameOf(const QString& link) const;

  Selection& selection_;
  QStringList names_;  ///< those that are shortened
  WhenSeen seen_;
};

}  // namespace opscope::ui
