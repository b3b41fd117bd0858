// SPDX-License-Identifier: Apache-2.0
#include "session/device_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "session/text_file.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 8> kMatters{"host",        "driver", "cupti",       "locked clocks",
                                              "power limit", "cpu",    "cpu threads", "kernel"};

std::string hostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

std::string orUnknown(const std::string& value) {
  return value.empty() ? "unknown" : value;
}

}  // namespace

fs::path dataFile(const std::string& name) {
  const auto folderIn = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? std::string() : std::string(value);
  };
  if (const std::string data = folderIn("OPSCOPE_DATA"); !data.empty()) return fs::path(data) / name;
  if (const std::string data = folderIn("XDG_DATA_HOME"); !data.empty())
    return fs::path(data) / "opscope" / name;
  if (const std::string home = folderIn("HOME"); !home.empty())
    return fs::path(home) / ".local" / "share" / "opscope" / name;
  throw CannotWrite("There is no folder for what Opscope keeps of a device: HOME is not set",
                    "Set OPSCOPE_DATA to a folder.");
}

void requireWritableDataFile(const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    throw CannotWrite(
        fmt::format("Cannot create the folder {}: {}", file.parent_path().string(), error.message()),
        "Set OPSCOPE_DATA to another folder.");
  checkWritable(file);
}

std::string deviceKey(const std::string& deviceId, const std::string& uuid) {
  return uuid.empty() ? fmt::format("{} on {}", deviceId, hostName()) : uuid;
}

std::string deviceKey(const Run& run) {
  return deviceKey(run.deviceId, valueIn(run.environment, "device uuid"));
}

std::string valueIn(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

Environment onThisHost(Environment environment) {
  environment["host"] = hostName();
  return environment;
}

std::vector<EnvironmentDifference> environmentDifferences(const Environment& then, const Environment& now) {
  std::vector<EnvironmentDifference> differences;
  for (const char* name : kMatters) {
    const std::string before = valueIn(then, name);
    const std::string after = valueIn(now, name);
    if (before != after) differences.push_back({name, orUnknown(before), orUnknown(after)});
  }
  return differences;
}

std::string textOf(const EnvironmentDifference& difference) {
  return fmt::format("{} was {}, now {}", difference.name, difference.then, difference.now);
}

std::string dateText(std::int64_t unixNs) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(unixNs / kSecond)));
}

}  // namespace opscope
