// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/session_model.h"

#include <algorithm>

namespace opscope::ui {

void SessionModel::add(RunPtr run) {
  runs_.push_back(std::move(run));
  unsaved_ = true;
  Q_EMIT changed();
}

void SessionModel::addOpened(const std::filesystem::path& file, bool readOnly,
                             const std::vector<RunPtr>& runs) {
  if (runs_.empty()) {
    if (!readOnly) file_ = file;
  } else {
    unsaved_ = true;
  }
  runs_.insert(runs_.end(), runs.begin(), runs.end());
  Q_EMIT changed();
}

void SessionModel::remove(const RunPtr& run) {
  const auto found = std::find(runs_.begin(), runs_.end(), run);
  if (found == runs_.end()) return;
  runs_.erase(found);
  unsaved_ = !runs_.empty();
  if (baseline_ && baseline_->run == run) {
    baseline_.reset();
    Q_EMIT baselineChanged();
  }
  Q_EMIT changed();
}

void SessionModel::replace(const RunPtr& run, RunPtr by) {
  const auto found = std::find(runs_.begin(), runs_.end(), run);
  if (found == runs_.end()) return;
  if (baseline_ && baseline_->run == run) baseline_->run = by;
  *found = std::move(by);
  Q_EMIT changed();
}

void SessionModel::pin(const Baseline& baseline) {
  if (baseline_ == baseline) {
    baseline_.reset();
  } else {
    baseline_ = baseline;
  }
  Q_EMIT baselineChanged();
}

void SessionModel::markSaved(const std::filesystem::path& file) {
  file_ = file;
  unsaved_ = false;
  Q_EMIT changed();
}

}  // namespace opscope::ui
