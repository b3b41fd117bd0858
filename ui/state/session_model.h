// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "session/run.h"
#include "state/comparison.h"

namespace opscope::ui {

/// The runs of a window, newest last, and where they were saved. GUI thread.
class SessionModel : public QObject {
  Q_OBJECT
 public:
  using RunPtr = std::shared_ptr<const Run>;

  const std::vector<RunPtr>& runs() const { return runs_; }
  const std::filesystem::path& file() const { return file_; }
  /// There are runs that no file holds.
  bool hasUnsaved() const { return unsaved_; }

  void add(RunPtr run);
  /// Adds the runs of an opened session; the file becomes the window's own when it is the first and may be
  /// written.
  void addOpened(const std::filesystem::path& file, bool readOnly, const std::vector<RunPtr>& runs);
  void remove(const RunPtr& run);
  /// The same run with more known of it; what is saved stays saved.
  void replace(const RunPtr& run, RunPtr by);
  /// What others are compared with; pinning the same again lets go.
  const std::optional<Baseline>& baseline() const { return baseline_; }
  void pin(const Baseline& baseline);
  void markSaved(const std::filesystem::path& file);

 Q_SIGNALS:
  void changed();
  void baselineChanged();

 private:
  std::vector<RunPtr> runs_;
  std::filesystem::path file_;
  std::optional<Baseline> baseline_;
  bool unsaved_ = false;
};

}  // namespace opscope::ui
