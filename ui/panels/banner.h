// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "base/error.h"

class QLabel;

namespace opscope::ui {

/// A failure of the window's own business (a file, a job, a device) across the top, until it is closed.
class Banner : public QFrame {
  Q_OBJECT
 public:
  explicit Banner(QWidget* parent = nullptr);
  void show(const ErrorInfo& error);
  QString shownText() const;

 private:
  QLabel* words_;
};

}  // namespace opscope::ui
