// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/roofline.h"

#include <algorithm>
#include <cmath>

#include "session/memory_traffic.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr const char* kAboveRule = "above-roofline";

const Finding* aboveFinding(const Run& run, std::uint32_t implementation) {
  const auto found = std::find_if(run.findings.begin(), run.findings.end(), [&](const Finding& finding) {
    return finding.rule == kAboveRule && finding.implementation == static_cast<std::int32_t>(implementation);
  });
  return found == run.findings.end() ? nullptr : &*found;
}

std::optional<RooflinePoint> pointOf(const std::shared_ptr<const Run>& run, std::uint32_t implementation) {
  const ImplementationResult& result = run->implementations[implementation];
  if (!result.hasNumber() || result.busy.median <= 0 || run->bytes <= 0) return std::nullopt;
  const auto placeFor = [&](double bytes) -> RooflinePoint::Place {
    if (run->flops > 0) return {run->flops / bytes, flopsPerSecond(*run, result)};
    return {bytes, bytes / result.busy.median * static_cast<double>(kSecond)};
  };
  RooflinePoint point;
  point.run = run;
  point.implementation = implementation;
  point.claimed = placeFor(run->bytes);
  if (claimedOverMoved(*run, result))
    point.moved = placeFor(static_cast<double>(medianCall(*result.counters).dram()));
  point.efficiency = efficiencyOf(*run, implementation);
  point.above = aboveFinding(*run, implementation) != nullptr;
  return point;
}

bool underOneRoof(const Run& a, const Run& b) {
  const auto same = [](const std::optional<Ceilings>& x, const std::optional<Ceilings>& y) {
    if (!x || !y) return !x && !y;
    return x->memory == y->memory && x->matrix == y->matrix && x->hold() == y->hold();
  };
  return a.op == b.op && a.dtype == b.dtype && a.l2 == b.l2 && a.method == b.method &&
         a.deviceName == b.deviceName && a.figures == b.figures && (a.flops > 0) == (b.flops > 0) &&
         same(a.ceilings, b.ceilings);
}

double decadeBelow(double value) {
  return std::pow(10, std::floor(std::log10(value)));
}

}  // namespace

double Roofline::roofAt(double x) const {
  if (ofBytes) return *memory;
  return matrix ? std::min(*memory * x, *matrix) : *memory * x;
}

std::optional<double> Roofline::ridge() const {
  if (ofBytes || !memory || !matrix) return std::nullopt;
  return *matrix / *memory;
}

Roofline rooflineOf(const std::shared_ptr<const Run>& run,
                    const std::vector<std::shared_ptr<const Run>>& others) {
  Roofline roofline;
  if (!run) return roofline;
  roofline.ofBytes = run->flops <= 0;
  if (run->ceilings && run->ceilings->hold()) {
    if (run->ceilings->memory) roofline.memory = run->ceilings->memory->perSecond;
    if (run->ceilings->matrix && !roofline.ofBytes) roofline.matrix = run->ceilings->matrix->perSecond;
  }
  const auto add = [&roofline](const std::shared_ptr<const Run>& of) {
    for (std::uint32_t i = 0; i < of->implementations.size(); ++i)
      if (auto point = pointOf(of, i)) roofline.points.push_back(std::move(*point));
  };
  add(run);
  roofline.own = roofline.points.size();
  for (const auto& other : others)
    if (other && other != run && underOneRoof(*run, *other)) add(other);
  return roofline;
}

RooflineRange rangeOf(const Roofline& roofline) {
  if (roofline.points.empty()) return {};
  std::vector<double> x;
  std::vector<double> y;
  const auto add = [&](const RooflinePoint::Place& place) {
    x.push_back(place.x);
    y.push_back(place.y);
  };
  for (const RooflinePoint& point : roofline.points) {
    add(point.claimed);
    if (point.moved) add(*point.moved);
  }
  if (const auto ridge = roofline.ridge()) add({*ridge, *roofline.matrix});
  if (roofline.memory) {
    for (const double at : std::vector<double>(x)) y.push_back(roofline.roofAt(at));
  }
  const auto [xLow, xHigh] = std::minmax_element(x.begin(), x.end());
  const auto [yLow, yHigh] = std::minmax_element(y.begin(), y.end());
  // Room for the labels beside the outermost points.
  return {decadeBelow(*xLow * 0.6), *xHigh * 2, decadeBelow(*yLow * 0.6), *yHigh * 2};
}

QString rateText(double perSecond, bool ofBytes) {
  const bool tera = perSecond >= 0.1e12;
  return text(formatNumber(perSecond / (tera ? 1e12 : 1e9))) +
         (ofBytes ? (tera ? QObject::tr(" TB/s") : QObject::tr(" GB/s"))
                  : (tera ? QObject::tr(" TFLOP/s") : QObject::tr(" GFLOP/s")));
}

QStringList rooflineWords(const Roofline& roofline, const std::shared_ptr<const Run>& run) {
  QStringList words;
  if (!run) return words;
  if (const std::string said = ceilingSentence(*run); !said.empty()) {
    words << text(said);
  } else {
    words << QObject::tr(
                 "No ceilings of %1 are known, so nothing can be said of how near these points come to what "
                 "is possible. The button below measures them, as `opscope ceilings` does.")
                 .arg(text(run->deviceName));
  }
  if (roofline.ofBytes)
    words << QObject::tr(
                 "%1 claims no operations: its points are bytes of one call against bytes per second.")
                 .arg(text(run->op));
  for (std::size_t i = 0; i < roofline.own; ++i) {
    const RooflinePoint& point = roofline.points[i];
    const ImplementationResult& result = run->implementations[point.implementation];
    QString line = QStringLiteral("%1 %2: %3")
                       .arg(letterOf(point.implementation), text(result.name),
                            rateText(point.claimed.y, roofline.ofBytes));
    if (point.efficiency)
      line += QObject::tr(", %1 of the %2 ceiling%3")
                  .arg(text(formatShare(point.efficiency->share)), text(nameOf(point.efficiency->bound)),
                       point.efficiency->clockRatio ? QObject::tr(" at the clock of its passes") : QString());
    words << line + QLatin1Char('.');
    if (const auto ratio = claimedOverMoved(*run, result))
      words << QObject::tr("%1 claims %2 and moved %3 through DRAM (claimed / moved %4): the hollow mark.")
                   .arg(letterOf(point.implementation), text(formatBytes(run->bytes)),
                        text(formatBytes(static_cast<double>(medianCall(*result.counters).dram()))),
                        text(formatNumber(*ratio)));
    if (const Finding* above = aboveFinding(*run, point.implementation))
      words << QObject::tr("Above the ceiling: %1").arg(text(above->sentence));
  }
  for (std::uint32_t i = 0; i < run->implementations.size(); ++i) {
    if (!run->implementations[i].hasNumber())
      words << QObject::tr("%1 %2 has no number.").arg(letterOf(i), text(run->implementations[i].name));
  }
  return words;
}

}  // namespace opscope::ui
