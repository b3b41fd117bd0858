// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/job_series.h"

#include <algorithm>
#include <utility>

namespace opscope::ui {

QString JobSeries::place() const {
  return QObject::tr("%1 %2 of %3").arg(what_).arg(std::min(at_ + 1, jobs_.size())).arg(jobs_.size());
}

void JobSeries::finished(std::shared_ptr<const Run> run) {
  if (run->cancelled) {
    ended_ = true;
  } else {
    ++at_;
  }
  if (!run->passes.empty()) runs_.push_back(std::move(run));
}

void JobSeries::failed(const ErrorInfo& error, std::shared_ptr<const Run> run) {
  const bool ends = error.code == ErrorCode::Cancelled || error.code == ErrorCode::DeviceLost ||
                    error.code == ErrorCode::EngineDied;
  if (run && !run->passes.empty()) runs_.push_back(std::move(run));
  if (error.code != ErrorCode::Cancelled) failures_.push_back(error);
  if (ends) {
    ended_ = true;
  } else {
    ++at_;
  }
}

}  // namespace opscope::ui
