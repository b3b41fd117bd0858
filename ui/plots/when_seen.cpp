// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/when_seen.h"

#include <utility>

namespace opscope::ui {
namespace {

QDockWidget* dockOf(QWidget& view) {
  for (QWidget* at = &view; at; at = at->parentWidget())
    if (auto* dock = qobject_cast<QDockWidget*>(at)) return dock;
  return nullptr;
}

// Qt keeps a dock behind another visible, out of its window's upper left corner.
bool isUp(const QDockWidget& dock) {
  if (!dock.isVisible()) return false;
  return dock.isFloating() || (dock.geometry().right() >= 0 && dock.geometry().bottom() >= 0);
}

}  // namespace

WhenSeen::WhenSeen(QWidget& view, std::function<void()> work) : view_(view), work_(std::move(work)) {}

void WhenSeen::ask() {
  due_ = true;
  QDockWidget* dock = dockOf(view_);
  if (!dock || isUp(*dock)) {
    catchUp();
    return;
  }
  if (dock == dock_) return;
  if (dock_) disconnect(dock_, nullptr, this, nullptr);
  dock_ = dock;
  const auto comesUp = [this](bool up) {
    if (up) catchUp();
  };
  connect(dock, &QDockWidget::visibilityChanged, this, comesUp);
  connect(dock, &QDockWidget::topLevelChanged, this, comesUp);  // floats, wherever it was behind
}

void WhenSeen::catchUp() {
  if (std::exchange(due_, false)) work_();
}

}  // namespace opscope::ui
