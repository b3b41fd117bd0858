// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"

namespace opscope::cli {
namespace {

std::string_view markOf(Check::State state) {
  switch (state) {
    case Check::State::Ok:
      return "[ok]";
    case Check::State::Info:
      return "[info]";
    case Check::State::Warning:
      return "[warning]";
    case Check::State::Missing:
      break;
  }
  return "[missing]";
}

}  // namespace

int doctor(const Options& options) {
  const auto engine = engineOf(options);
  for (const Check& check : engine->diagnose()) {
    fmt::print("{:<9} {}: {}\n", markOf(check.state), check.subject, check.sentence);
    if (!check.remedy.empty()) fmt::print("{:<9} {}\n", "", check.remedy);
  }
  const std::vector<DeviceInfo> devices = engine->devices();
  fmt::print("\n");
  if (devices.empty()) {
    fmt::print("No device can be used here.\n");
    return kNoDevice;
  }
  fmt::print("Can be measured on:\n");
  for (const DeviceInfo& device : devices)
    fmt::print("  {:<8}  {}  ({} figures)\n", device.id, device.name, nameOf(device.figures));
  for (const ErrorInfo& problem : engine->catalogue().problems)
    fmt::print("An op could not be read: {}\n", describe(problem));
  return kMeasured;
}

}  // namespace opscope::cli
