// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "state/job_series.h"
#include "window/main_window.h"

namespace opscope::ui {

/// Several jobs, while the window measures them.
struct MainWindow::Series {
  JobSeries jobs;
  bool keep = false;  ///< their runs become the window's
  std::function<void(const JobSeries&)> then;
};

}  // namespace opscope::ui
