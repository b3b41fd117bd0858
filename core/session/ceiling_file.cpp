// SPDX-License-Identifier: Apache-2.0
#include "session/ceiling_file.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/format.h"
#include "session/device_file.h"
#include "session/device_record.h"
#include "session/summary_rows.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

using Json = DeviceJson;

constexpr DeviceFileKind kCeilingKind{"opscope-ceilings", 1, "ceilings", "opscope ceilings"};
constexpr const char* kMemory = "memory";
constexpr const char* kMatrix = "matrix";

Json ceilingJson(const CeilingPoint& p) {
  return {{"kind", p.kind == CeilingPoint::Kind::Memory ? kMemory : kMatrix},
          {"op", p.op},
          {"shape", p.shape},
          {"dtype", p.dtype},
          {"implementation", p.implementation},
          {"l2", p.l2},
          {"median_ns", p.medianNs},
          {"per_second", p.perSecond},
          {"sm_clock_mhz", p.smClockMhz ? Json(*p.smClockMhz) : Json(nullptr)}};
}

double positive(const Json& json) {
  const double value = json.get<double>();
  if (!std::isfinite(value) || value <= 0) throw std::invalid_argument("a ceiling is no number above 0");
  return value;
}

CeilingPoint readCeilingPoint(const Json& json) {
  CeilingPoint point;
  const auto kind = json.at("kind").get<std::string>();
  if (kind != kMemory && kind != kMatrix) throw std::invalid_argument("a ceiling is of neither kind");
  point.kind = kind == kMemory ? CeilingPoint::Kind::Memory : CeilingPoint::Kind::Matrix;
  json.at("op").get_to(point.op);
  json.at("shape").get_to(point.shape);
  json.at("dtype").get_to(point.dtype);
  json.at("implementation").get_to(point.implementation);
  json.at("l2").get_to(point.l2);
  point.medianNs = positive(json.at("median_ns"));
  point.perSecond = positive(json.at("per_second"));
  if (const Json& clock = json.at("sm_clock_mhz"); !clock.is_null()) point.smClockMhz = positive(clock);
  return point;
}

const char* unitOf(CeilingPoint::Kind kind) {
  return kind == CeilingPoint::Kind::Memory ? "TB/s" : "TFLOP/s";
}

std::string probeText(const CeilingPoint& point) {
  return fmt::format("{} {} {}", point.op, point.dtype, point.shape);
}

}  // namespace

fs::path ceilingFile() {
  return dataFile("ceilings.json");
}

CeilingRecords readCeilings(const fs::path& file) {
  return readRecords<CeilingRecords>(file, kCeilingKind, readCeilingPoint);
}

void writeCeilings(const fs::path& file, const CeilingRecords& records) {
  writeRecords(file, kCeilingKind, records, ceilingJson);
}

std::optional<CeilingPoint> ceilingPointOf(const Run& run) {
  std::optional<CeilingPoint> best;
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    const ImplementationResult& result = run.implementations[i];
    if (!result.hasNumber() || result.busy.median <= 0 ||
        result.verification.state == VerificationRecord::State::Failed)
      continue;
    const bool matrix = run.family == "gemm";
    const double rate = matrix ? flopsPerSecond(run, result) : bytesPerSecond(run, result);
    if (rate <= 0 || (best && best->perSecond >= rate)) continue;
    best = CeilingPoint{matrix ? CeilingPoint::Kind::Matrix : CeilingPoint::Kind::Memory,
                        run.op,
                        dimensionsText(run),
                        run.dtype,
                        result.name,
                        run.l2,
                        result.busy.median,
                        rate,
                        observedSmClock(run.passesOf(i))};
  }
  return best;
}

CeilingRecord ceilingRecordOf(const std::vector<std::shared_ptr<const Run>>& runs,
                              std::int64_t measuredUnixNs) {
  CeilingRecord record;
  record.measuredUnixNs = measuredUnixNs;
  for (const auto& run : runs) {
    record.device = deviceKey(*run);
    record.deviceName = run->deviceName;
    record.environment = run->environment;
    if (auto point = ceilingPointOf(*run)) record.points.push_back(std::move(*point));
  }
  return record;
}

Ceilings ceilingsFor(const CeilingRecord& record, const Run& run) {
  Ceilings ceilings;
  ceilings.measuredAt = dateText(record.measuredUnixNs);
  for (const CeilingPoint& point : record.points) {
    const bool memory = point.kind == CeilingPoint::Kind::Memory;
    if (!memory && point.dtype != run.dtype) continue;
    std::optional<Ceiling>& best = memory ? ceilings.memory : ceilings.matrix;
    if (!best || point.perSecond > best->perSecond)
      best = Ceiling{point.perSecond, point.smClockMhz, probeText(point)};
  }
  for (const EnvironmentDifference& difference : environmentDifferences(record.environment, run.environment))
    ceilings.differences.push_back(textOf(difference));
  return ceilings;
}

std::string textOf(const CeilingPoint& point) {
  std::string text =
      fmt::format("{} by {}: {} {} in {}", probeText(point), point.implementation,
                  formatNumber(point.perSecond / 1e12), unitOf(point.kind), formatNs(point.medianNs));
  return text + (point.smClockMhz ? fmt::format(", SM clock {:.0f} MHz", *point.smClockMhz)
                                  : std::string(", SM clock not known"));
}

}  // namespace opscope
