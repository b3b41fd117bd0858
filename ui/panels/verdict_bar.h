// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "state/verdict.h"

class QGridLayout;

namespace opscope::ui {

/// What the selected run says, one card per implementation: the figure, or a red banner with the failure and
/// no figure. A click shows the implementation's median iteration.
class VerdictBar : public QFrame {
  Q_OBJECT
 public:
  explicit VerdictBar(QWidget* parent = nullptr);
  void show(const VerdictText& verdict);
  void showSentence(const QString& sentence);
  /// All text that is shown, for tests and for screen readers.
  QString plainText() const;

 Q_SIGNALS:
  void chosen(int implementation);

 private:
  void clear();

  QGridLayout* cards_;
};

}  // namespace opscope::ui
