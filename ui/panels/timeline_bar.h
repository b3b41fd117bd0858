// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QButtonGroup;
class QHBoxLayout;
class QLabel;
class QLineEdit;

namespace opscope::ui {

class Selection;
class TimelinePlot;

/// Above the timeline: what it shows, the search for kernels, and the filters as chips that can be removed.
class TimelineBar : public QWidget {
  Q_OBJECT
 public:
  TimelineBar(Selection& selection, TimelinePlot& timeline, QWidget* parent = nullptr);
  void focusSearch();
  /// "2 of 5", "nothing fits".
  QString matchText() const;
  /// What the chips say.
  QStringList chips() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showMode();
  void showFilter();

  Selection& selection_;
  TimelinePlot& timeline_;
  QButtonGroup* modes_;
  QHBoxLayout* chips_;
  QLineEdit* search_;
  QLabel* matches_;
};

}  // namespace opscope::ui
