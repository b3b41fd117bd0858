// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope::ui {

/// One implementation at one size of the axis, as one run measured it.
struct SweepPoint {
  std::shared_ptr<const Run> run;
  std::uint32_t implementation = 0;
  std::int64_t size = 0;
  Summary busy;
  std::optional<double> efficiency;  ///< a share of the ceiling that binds it
  std::string bound;                 ///< which one: "memory", "compute"
};

/// An implementation over the axis.
struct SweepSeries {
  std::string name;
  std::vector<SweepPoint> points;  ///< by size; where several runs measured the same, the newest last
  /// The newest of each size: what a line joins.
  std::vector<const SweepPoint*> newest() const;
};

struct Sweep {
  std::string dim;
  std::vector<std::int64_t> sizes;  ///< ascending
  bool geometric = false;           ///< the sizes grow by a factor rather than by a step
  /// In the order of the selected run, then what only others have: the place is the colour.
  std::vector<SweepSeries> series;
  std::vector<std::string> failures;  ///< "M = 8192, library: NotSupported: ..."
  bool hasEfficiency() const;
};

/// The dimensions along which runs differ from this one and from nothing else: the same op, dtype, device,
/// method and L2 mode, all other dimensions equal. Those with the most sizes first. Pure.
std::vector<std::string> sweepAxes(const std::shared_ptr<const Run>& run,
                                   const std::vector<std::shared_ptr<const Run>>& runs);

/// The runs along one dimension. Pure.
Sweep sweepOf(const std::shared_ptr<const Run>& run, const std::vector<std::shared_ptr<const Run>>& runs,
              const std::string& dim);

/// Whether sizes grow by a factor: their ratios differ less from each other than their differences do.
bool growGeometrically(const std::vector<std::int64_t>& sizes);

/// What the plot does not show: the shape it is of, what failed.
QStringList sweepWords(const Sweep& sweep, const std::shared_ptr<const Run>& run);

}  // namespace opscope::ui
