// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "engine/engine.h"

namespace opscope::ui {

/// Jobs that are measured one after the other, and what came of them. What one job cannot do does not end the
/// others; a lost device, a dead engine or a stop does.
class JobSeries {
 public:
  JobSeries(QString what, std::vector<Job> jobs) : what_(std::move(what)), jobs_(std::move(jobs)) {}

  /// The one to be measured; null when none is left.
  const Job* current() const { return at_ < jobs_.size() && !ended_ ? &jobs_[at_] : nullptr; }
  /// "ceiling 3 of 7".
  QString place() const;
  /// Of the current job; goes on to the next.
  void finished(std::shared_ptr<const Run> run);
  void failed(const ErrorInfo& error, std::shared_ptr<const Run> run);

  /// Nothing more is to be measured.
  void stop() { ended_ = true; }

  /// Everything was measured as far as it can be: nobody stopped it, no engine was lost.
  bool isComplete() const { return at_ == jobs_.size() && !ended_; }
  const std::vector<std::shared_ptr<const Run>>& runs() const { return runs_; }
  /// What jobs failed of, beside what their runs say.
  const std::vector<ErrorInfo>& failures() const { return failures_; }

 private:
  QString what_;
  std::vector<Job> jobs_;
  std::size_t at_ = 0;
  bool ended_ = false;
  std::vector<std::shared_ptr<const Run>> runs_;
  std::vector<ErrorInfo> failures_;
};

}  // namespace opscope::ui
