// SPDX-License-Identifier: Apache-2.0
#include "session/noise_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "session/export.h"
#include "session/summary_rows.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "opscope-noise";
constexpr int kVersion = 1;
// What of an environment can change the noise of a device. The rest (temperature, launch core) changes from
// run to run and is what the floor is a floor of.
constexpr std::array<std::string_view, 8> kMatters{"host",        "driver", "cupti",       "locked clocks",
                                                   "power limit", "cpu",    "cpu threads", "kernel"};

std::string hostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

std::string dateText(std::int64_t unixNs) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(unixNs / kSecond)));
}

Json toJson(const NoisePoint& p) {
  return {{"op", p.op}, {"workload", p.workload},  {"dtype", p.dtype},   {"implementation", p.implementation},
          {"l2", p.l2}, {"median_ns", p.medianNs}, {"blocks", p.blocks}, {"share", p.share}};
}

NoisePoint pointOf(const Json& json) {
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

NoiseRecord recordOf(const std::string& device, const Json& json) {
  NoiseRecord record;
  record.device = device;
  json.at("name").get_to(record.deviceName);
  json.at("measured_unix_ns").get_to(record.measuredUnixNs);
  json.at("environment").get_to(record.environment);
  for (const Json& point : json.at("points")) record.points.push_back(pointOf(point));
  if (record.points.empty()) throw std::invalid_argument("a device has no measurement");
  return record;
}

NoiseRecords recordsOf(const std::string& text) {
  const Json json = Json::parse(text);
  if (json.at("format") != kFormat) throw std::invalid_argument("it is another program's");
  if (json.at("version").get<int>() > kVersion) throw std::invalid_argument("it is of a newer Opscope");
  NoiseRecords records;
  for (const auto& [device, record] : json.at("devices").items()) records[device] = recordOf(device, record);
  return records;
}

std::string valueIn(const Environment& environment, std::string_view name) {
  const auto found = environment.find(std::string(name));
  return found == environment.end() ? std::string() : found->second;
}

}  // namespace

double NoiseRecord::floor() const {
  double floor = 0;
  for (const NoisePoint& point : points) floor = std::max(floor, point.share);
  return floor;
}

fs::path noiseFile() {
  constexpr const char* kName = "noise.json";
  const auto folderIn = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? std::string() : std::string(value);
  };
  if (const std::string data = folderIn("OPSCOPE_DATA"); !data.empty()) return fs::path(data) / kName;
  if (const std::string data = folderIn("XDG_DATA_HOME"); !data.empty())
    return fs::path(data) / "opscope" / kName;
  if (const std::string home = folderIn("HOME"); !home.empty())
    return fs::path(home) / ".local" / "share" / "opscope" / kName;
  throw CannotWrite("There is no folder for what Opscope keeps of a device: HOME is not set",
                    "Set OPSCOPE_DATA to a folder.");
}

std::string noiseKey(const std::string& deviceId, const std::string& uuid) {
  return uuid.empty() ? fmt::format("{} on {}", deviceId, hostName()) : uuid;
}

std::string noiseKey(const Run& run) {
  return noiseKey(run.deviceId, valueIn(run.environment, "device uuid"));
}

NoiseRecords readNoise(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in || in.bad())
    throw CannotRead(
        fmt::format("Cannot read the noise floors in {}: {}", file.string(), std::strerror(errno)));
  try {
    return recordsOf(text);
  } catch (const std::exception& problem) {
    throw CannotRead(
        fmt::format("The noise floors in {} cannot be understood: {}", file.string(), problem.what()),
        "Remove the file, and measure again with `opscope noise`.");
  }
}

void writeNoise(const fs::path& file, const NoiseRecords& records) {
  Json devices = Json::object();
  for (const auto& [device, record] : records) {
    Json points = Json::array();
    for (const NoisePoint& point : record.points) points.push_back(toJson(point));
    devices[device] = {{"name", record.deviceName},
                       {"measured_unix_ns", record.measuredUnixNs},
                       {"environment", record.environment},
                       {"points", points}};
  }
  const Json json{{"format", kFormat}, {"version", kVersion}, {"devices", devices}};
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    throw CannotWrite(
        fmt::format("Cannot create the folder {}: {}", file.parent_path().string(), error.message()),
        "Set OPSCOPE_DATA to another folder.");
  writeTextFile(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
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
    record.device = noiseKey(*run);
    record.deviceName = run->deviceName;
    record.environment = run->environment;
    if (auto point = noisePointOf(*run)) record.points.push_back(std::move(*point));
    std::vector<const Pass*> passes;
    for (const auto& pass : run->passes) passes.push_back(pass.get());
    if (const auto range = smClock(passes))
      clocks = clocks ? ClockRange{std::min(clocks->low, range->low), std::max(clocks->high, range->high)}
                      : *range;
  }
  if (clocks) record.environment["sm clock"] = fmt::format("{}-{} MHz", clocks->low, clocks->high);
  record.environment["host"] = hostName();
  return record;
}

NoiseFloor noiseFloorFor(const NoiseRecord& record, const Run& run) {
  NoiseFloor floor{record.floor(), dateText(record.measuredUnixNs), {}};
  Environment now = run.environment;
  now["host"] = hostName();
  for (const std::string_view name : kMatters) {
    const std::string then = valueIn(record.environment, name);
    const std::string today = valueIn(now, name);
    if (then != today)
      floor.differences.push_back(fmt::format("{} was {}, now {}", name, then.empty() ? "unknown" : then,
                                              today.empty() ? "unknown" : today));
  }
  const bool sameL2 = std::any_of(record.points.begin(), record.points.end(),
                                  [&run](const NoisePoint& point) { return point.l2 == run.l2; });
  if (!sameL2)
    floor.differences.push_back(fmt::format("L2 was {}, now {}", record.points.front().l2, run.l2));
  return floor;
}

}  // namespace opscope
