// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/sweep.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "session/efficiency.h"
#include "session/summary_rows.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

using RunPtr = std::shared_ptr<const Run>;

bool sameButShape(const Run& a, const Run& b) {
  return a.op == b.op && a.dtype == b.dtype && a.params == b.params && a.deviceName == b.deviceName &&
         a.figures == b.figures && a.method == b.method && a.l2 == b.l2;
}

/// The only dimension in which two shapes differ; empty when it is none, or several.
std::string onlyDifference(const Run& a, const Run& b) {
  if (a.dims.size() != b.dims.size()) return {};
  std::string dim;
  for (const auto& [name, size] : a.dims) {
    const auto found = b.dims.find(name);
    if (found == b.dims.end()) return {};
    if (found->second == size) continue;
    if (!dim.empty()) return {};
    dim = name;
  }
  return dim;
}

bool isOn(const Run& run, const Run& other, const std::string& dim) {
  if (!sameButShape(run, other)) return false;
  return run.dims == other.dims || onlyDifference(run, other) == dim;
}

SweepSeries& seriesOf(Sweep& sweep, const std::string& name) {
  const auto found = std::find_if(sweep.series.begin(), sweep.series.end(),
                                  [&](const SweepSeries& series) { return series.name == name; });
  if (found != sweep.series.end()) return *found;
  sweep.series.push_back({name, {}});
  return sweep.series.back();
}

double spread(std::vector<double> steps) {
  const auto [low, high] = std::minmax_element(steps.begin(), steps.end());
  return *high / *low;
}

}  // namespace

std::vector<const SweepPoint*> SweepSeries::newest() const {
  std::vector<const SweepPoint*> line;
  for (const SweepPoint& point : points) {
    if (!line.empty() && line.back()->size == point.size) line.pop_back();
    line.push_back(&point);
  }
  return line;
}

bool Sweep::hasEfficiency() const {
  return std::any_of(series.begin(), series.end(), [](const SweepSeries& one) {
    return std::any_of(one.points.begin(), one.points.end(),
                       [](const SweepPoint& point) { return point.efficiency.has_value(); });
  });
}

bool growGeometrically(const std::vector<std::int64_t>& sizes) {
  if (sizes.size() < 2 || sizes.front() < 1) return false;
  std::vector<double> ratios;
  std::vector<double> steps;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    ratios.push_back(std::log(static_cast<double>(sizes[i]) / static_cast<double>(sizes[i - 1])));
    steps.push_back(static_cast<double>(sizes[i] - sizes[i - 1]));
  }
  // One step is both: then a whole decade reads better on a logarithmic axis.
  if (ratios.size() == 1) return ratios[0] >= std::log(10.0);
  return spread(ratios) < spread(steps);
}

std::vector<std::string> sweepAxes(const RunPtr& run, const std::vector<RunPtr>& runs) {
  if (!run) return {};
  std::map<std::string, std::set<std::int64_t>> sizes;
  for (const RunPtr& other : runs) {
    if (!other || !sameButShape(*run, *other)) continue;
    const std::string dim = onlyDifference(*run, *other);
    if (!dim.empty()) sizes[dim].insert(other->dims.at(dim));
  }
  std::vector<std::string> axes;
  for (const auto& [dim, found] : sizes) axes.push_back(dim);
  std::stable_sort(axes.begin(), axes.end(), [&](const std::string& a, const std::string& b) {
    return sizes.at(a).size() > sizes.at(b).size();
  });
  return axes;
}

Sweep sweepOf(const RunPtr& run, const std::vector<RunPtr>& runs, const std::string& dim) {
  Sweep sweep;
  sweep.dim = dim;
  if (!run || !run->dims.contains(dim)) return sweep;
  for (const ImplementationResult& result : run->implementations) seriesOf(sweep, result.name);
  std::set<std::int64_t> sizes;
  for (const RunPtr& other : runs) {
    if (!other || !isOn(*run, *other, dim)) continue;
    const std::int64_t size = other->dims.at(dim);
    sizes.insert(size);
    for (std::uint32_t i = 0; i < other->implementations.size(); ++i) {
      const ImplementationResult& result = other->implementations[i];
      if (!result.hasNumber()) {
        if (result.failure)
          sweep.failures.push_back(dim + " = " + std::to_string(size) + ", " + result.name + ": " +
                                   failureText(*result.failure));
        continue;
      }
      SweepPoint point{other, i, size, result.busy, {}, {}};
      if (const auto efficiency = efficiencyOf(*other, i)) {
        point.efficiency = efficiency->share;
        point.bound = nameOf(efficiency->bound);
      }
      seriesOf(sweep, result.name).points.push_back(std::move(point));
    }
  }
  for (SweepSeries& series : sweep.series)
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const SweepPoint& a, const SweepPoint& b) { return a.size < b.size; });
  sweep.sizes.assign(sizes.begin(), sizes.end());
  sweep.geometric = growGeometrically(sweep.sizes);
  return sweep;
}

QStringList sweepWords(const Sweep& sweep, const RunPtr& run) {
  QStringList words;
  if (!run || sweep.sizes.empty()) return words;
  QStringList fixed;
  for (const auto& [name, size] : run->dims)
    if (name != sweep.dim) fixed << QStringLiteral("%1 = %2").arg(text(name)).arg(size);
  words << QObject::tr("%1 %2 over %3, %4 sizes from %5 to %6%7.")
               .arg(text(run->op), text(run->dtype), text(sweep.dim))
               .arg(sweep.sizes.size())
               .arg(sweep.sizes.front())
               .arg(sweep.sizes.back())
               .arg(fixed.isEmpty() ? QString()
                                    : QObject::tr(", with %1").arg(fixed.join(QStringLiteral(", "))));
  for (const std::string& failure : sweep.failures) words << text(failure);
  return words;
}

}  // namespace opscope::ui
