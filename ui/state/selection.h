// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>

#include "session/run.h"
#include "state/pass_indexes.h"
#include "trace/intervals.h"

namespace opscope::ui {

/// One thing on the timeline.
struct SelectedItem {
  enum class Kind : std::uint8_t { None, Kernel, Gap, Launch, Memop, Range } kind = Kind::None;
  std::uint32_t index = 0;  ///< into Trace::kernels, Pass::gaps, Trace::launches, memops or ranges
  bool operator==(const SelectedItem&) const = default;
};

/// The iterations whose value lies in [from, to].
struct Brush {
  enum class Quantity : std::uint8_t { Busy, Latency } quantity = Quantity::Busy;
  Ns from = 0;
  Ns to = 0;
  bool holds(const Sample& sample) const;
  bool operator==(const Brush&) const = default;
};
Ns valueOf(const Sample& sample, Brush::Quantity quantity);

/// What is selected. `pass` is a place in Run::passes; -1 is none. The range is on the trace's clock.
struct Selected {
  std::shared_ptr<const Run> run;
  std::int32_t pass = -1;
  std::int32_t iteration = -1;
  SelectedItem item;
  std::optional<Interval> range;
  std::optional<Brush> brush;  ///< iterations of the run that are set apart in every view

  const Pass* passOrNull() const;
  /// The implementation whose pass this is; -1 without a pass.
  std::int32_t implementation() const;
  bool operator==(const Selected&) const = default;
};

/// What the session of the selected pass (of the run, without a pass) did not keep, in words; empty where it
/// kept everything.
QString keptText(const Selected& selected);

/// The one selection of a window: whoever selects says it here, every view follows the one signal. GUI
/// thread.
class Selection : public QObject {
  Q_OBJECT
 public:
  const Selected& now() const { return now_; }
  /// What all views derive their records from.
  PassIndexes& indexes() { return indexes_; }

  /// Everything else is cleared.
  void selectRun(std::shared_ptr<const Run> run);
  /// Keeps the run; clears item and range. A place that the run does not have is ignored.
  void selectIteration(std::int32_t pass, std::int32_t iteration);
  void selectItem(SelectedItem item);
  void selectRange(std::optional<Interval> range);
  void selectBrush(std::optional<Brush> brush);
  /// All at once, with one signal.
  void select(Selected next);

 Q_SIGNALS:
  /// Once per change; never when nothing changed.
  void changed(const opscope::ui::Selected& now, const opscope::ui::Selected& before);

 private:
  PassIndexes indexes_;
  Selected now_;
};

}  // namespace opscope::ui
