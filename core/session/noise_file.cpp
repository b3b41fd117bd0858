// SPDX-License-Identifier: Apache-2.0
#include "session/noise_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "session/device_file.h"
#include "session/device_record.h"
#include "session/summary_rows.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

using Json = DeviceJson;

constexpr DeviceFileKind kNoiseKind{"opscope-noise", 1, "noise floors", "opscope noise"};

Json noiseJson(const NoisePoint& p) {
  return {{"op", p.op}, {"workload", p.workload},  {"dtype", p.dtype},   {"implementation", p.implementation},
          {"l2", p.l2}, {"median_ns", p.medianNs}, {"blocks", p.blocks}, {"share", p.share}};
}

NoisePoint readNoisePoint(const Json& json) {
  NoisePoint point;
  json.at("op").get_to(point.op);
  json.at("workload").get_to(point.workload);
  json.at("dtype").get_to(point.dtype);
  json.at("implementation").get_to(point.implementation);
  json.at("l2").get_to(point.l2);
  json.at("median_ns").get_to(point.medianNs);
  json.at("blocks").get_to(point.blocks);
  json.at("share").get_to(point.share);
  if (!std::isfinite(point.share) || point.share < 0) throw std::invalid_argument("a share is no share");
  return point;
}

}  // namespace

double NoiseRecord::floor() const {
  double floor = 0;
  for (const NoisePoint& point : points) floor = std::max(floor, point.share);
  return floor;
}

fs::path noiseFile() {
  return dataFile("noise.json");
}

NoiseRecords readNoise(const fs::path& file) {
  return readRecords<NoiseRecords>(file, kNoiseKind, readNoisePoint);
}

void writeNoise(const fs::path& file, const NoiseRecords& records) {
  writeRecords(file, kNoiseKind, records, noiseJson);
}

std::optional<NoisePoint> noisePointOf(const Run& run) {
  if (!run.comparison || run.comparison->rows.size() != 1 || !run.comparison->rows[0].interval)
    return std::nullopt;
  const AgainstBaseline& row = run.comparison->rows[0];
  const ImplementationResult& result = run.implementations.at(row.implementation);
  const double logBound =
      std::max(std::fabs(std::log(row.interval->low)), std::fabs(std::log(row.interval->high)));
  return NoisePoint{run.op,
                    run.workload.empty() ? dimensionsText(run) : run.workload,
                    run.dtype,
                    result.name,
                    run.l2,
                    result.busy.median,
                    static_cast<std::uint32_t>(row.blocks.size()),
                    std::expm1(logBound)};
}

NoiseRecord noiseRecordOf(const std::vector<std::shared_ptr<const Run>>& runs, std::int64_t measuredUnixNs) {
  NoiseRecord record;
  record.measuredUnixNs = measuredUnixNs;
  std::optional<ClockRange> clocks;
  for (const auto& run : runs) {
    record.device = deviceKey(*run);
    record.deviceName = run->deviceName;
    record.environment = onThisHost(run->environment);
    if (auto point = noisePointOf(*run)) record.points.push_back(std::move(*point));
    std::vector<const Pass*> passes;
    for (const auto& pass : run->passes) passes.push_back(pass.get());
    if (const auto range = smClock(passes))
      clocks = clocks ? ClockRange{std::min(clocks->low, range->low), std::max(clocks->high, range->high)}
                      : *range;
  }
  if (clocks) record.environment["sm clock"] = fmt::format("{}-{} MHz", clocks->low, clocks->high);
  return record;
}

NoiseFloor noiseFloorFor(const NoiseRecord& record, const Run& run) {
  NoiseFloor floor{record.floor(), dateText(record.measuredUnixNs), {}};
  for (const EnvironmentDifference& difference :
       environmentDifferences(record.environment, onThisHost(run.environment)))
    floor.differences.push_back(textOf(difference));
  const bool sameL2 = std::any_of(record.points.begin(), record.points.end(),
                                  [&run](const NoisePoint& point) { return point.l2 == run.l2; });
  if (!sameL2)
    floor.differences.push_back(fmt::format("L2 was {}, now {}", record.points.front().l2, run.l2));
  return floor;
}

}  // namespace opscope
