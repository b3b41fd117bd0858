// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "session/efficiency.h"
#include "session/run.h"

namespace opscope::ui {

/// One implementation on a workload. A place is operations per byte against operations per second; of an op
/// without operations it is bytes of one call against bytes per second.
struct RooflinePoint {
  struct Place {
    double x = 0;
    double y = 0;
    bool operator==(const Place&) const = default;
  };
  std::shared_ptr<const Run> run;
  std::uint32_t implementation = 0;
  Place claimed;               ///< by what the op says that it computes and moves
  std::optional<Place> moved;  ///< by the bytes that DRAM moved, after a counter pass
  std::optional<Efficiency> efficiency;
  bool above = false;  ///< faster than possible: the run has a finding of it
};

struct Roofline {
  bool ofBytes = false;          ///< the op claims no operations
  std::optional<double> memory;  ///< bytes/s; absent where no ceiling holds for the run
  std::optional<double> matrix;  ///< FLOP/s of a matrix product in the run's dtype
  std::vector<RooflinePoint> points;
  std::size_t own = 0;  ///< so many of them, the first, are of the run itself

  /// What is possible at x: the lower of the two ceilings. Only with a memory ceiling.
  double roofAt(double x) const;
  /// Where the two ceilings meet.
  std::optional<double> ridge() const;
};

/// The run's implementations, then those of the other runs that can stand under the same roof: the same op in
/// the same dtype and L2 mode, on the same device with the same ceilings. Pure.
Roofline rooflineOf(const std::shared_ptr<const Run>& run,
                    const std::vector<std::shared_ptr<const Run>>& others = {});

/// From a decade on: what holds all points and, where there are ceilings, the ridge.
struct RooflineRange {
  double xFrom = 0;
  double xTo = 0;
  double yFrom = 0;
  double yTo = 0;
  bool operator==(const RooflineRange&) const = default;
};
RooflineRange rangeOf(const Roofline& roofline);

/// How the plot is to be read: of what the shares are or why there are none, each implementation's, what is
/// above its ceiling, what was moved beside what was claimed.
QStringList rooflineWords(const Roofline& roofline, const std::shared_ptr<const Run>& run);

/// "12.3 TFLOP/s"; "3.9 TB/s".
QString rateText(double perSecond, bool ofBytes);

}  // namespace opscope::ui
