// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QBoxLayout;
class QLabel;

namespace opscope::ui {

/// A plot and what is to be said of it: beside it where there is width for both, else below.
class PlotAndWords : public QWidget {
  Q_OBJECT
 public:
  explicit PlotAndWords(QWidget* plot, QWidget* parent = nullptr);
  void say(const QStringList& sentences);
  QString words() const;
  /// Under the words.
  void addBelowWords(QWidget* widget);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QBoxLayout* layout_;
  QBoxLayout* side_;
  QLabel* words_;
};

}  // namespace opscope::ui
