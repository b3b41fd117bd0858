// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <deque>
#include <memory>

#include "state/lane_layout.h"
#include "state/newest.h"

namespace opscope::ui {

/// The index of a pass, made once for all views. A small pass is indexed at once; a large one in the
/// background, and ready() says when. GUI thread.
class PassIndexes : public QObject {
  Q_OBJECT
 public:
  /// Records up to which work on them fits into one event of the GUI thread (about 2 ms).
  static constexpr std::size_t kAtOnce = 50'000;
  static std::size_t recordsOf(const Pass& pass) {
    return pass.trace.kernels.size() + pass.trace.launches.size() + pass.trace.memops.size() +
           pass.trace.ranges.size();
  }

  /// For pictures: everything is made when it is asked for.
  void setAtOnce() { atOnce_ = true; }
  bool fitsAtOnce(std::size_t records) const { return atOnce_ || records <= kAtOnce; }

  /// Null while the index of a large pass is being made.
  std::shared_ptr<const PassIndex> of(const std::shared_ptr<const Pass>& pass);
  /// One that was made elsewhere.
  void put(std::shared_ptr<const PassIndex> index);

 Q_SIGNALS:
  void ready();

 private:
  static constexpr std::size_t kKept = 4;
  std::shared_ptr<const PassIndex> kept(const Pass& pass) const;

  std::deque<std::shared_ptr<const PassIndex>> kept_;
  std::shared_ptr<const Pass> wanted_;
  bool atOnce_ = false;
  Newest newest_;
};

}  // namespace opscope::ui
