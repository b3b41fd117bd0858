// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands.h"
#include "exit_codes.h"

namespace opscope::cli {
namespace {

std::string shapeOf(const CatalogueInfo::Workload& workload) {
  std::string text;
  for (const auto& [name, value] : workload.dims)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

bool runsOn(const CatalogueInfo::Implementation& implementation, const std::optional<std::string>& kind) {
  return !kind || std::find(implementation.deviceKinds.begin(), implementation.deviceKinds.end(), *kind) !=
                      implementation.deviceKinds.end();
}

void printOp(const CatalogueInfo::Op& op, const std::optional<std::string>& kind) {
  fmt::print("{} ({})  {}\n  dtypes: {}\n  workloads:\n", op.name, op.family, op.doc,
             fmt::join(op.dtypes, ", "));
  std::size_t width = 0;
  for (const auto& workload : op.workloads) width = std::max(width, workload.label.size());
  std::size_t shapeWidth = 0;
  for (const auto& workload : op.workloads) shapeWidth = std::max(shapeWidth, shapeOf(workload).size());
  for (const auto& workload : op.workloads)
    fmt::print("    {:<{}}  {:<{}}  {}\n", workload.label, width, shapeOf(workload), shapeWidth,
               fmt::join(workload.dtypes, ", "));
  fmt::print("  implementations:\n");
  width = 0;
  for (const auto& implementation : op.implementations) width = std::max(width, implementation.name.size());
  for (const auto& implementation : op.implementations)
    if (runsOn(implementation, kind))
      fmt::print("    {:<{}}  [{}]  {}\n", implementation.name, width,
                 fmt::join(implementation.deviceKinds, ", "), implementation.doc);
  fmt::print("\n");
}

}  // namespace

int list(const Options& options) {
  const auto engine = engineOf(options);
  const std::vector<DeviceInfo> devices = engine->devices();
  std::optional<std::string> kind;
  if (options.deviceFilter) {
    for (const DeviceInfo& device : devices)
      if (device.id == *options.deviceFilter || device.kind == *options.deviceFilter) kind = device.kind;
    if (!kind)
      throw NoSuchDevice(fmt::format("There is no device '{}'", *options.deviceFilter),
                         "`opscope doctor` says which there are, and what is missing for the others.");
  }
  const CatalogueInfo catalogue = engine->catalogue();
  for (const CatalogueInfo::Op& op : catalogue.ops)
    if (std::any_of(op.implementations.begin(), op.implementations.end(),
                    [&](const auto& implementation) { return runsOn(implementation, kind); }))
      printOp(op, kind);
  fmt::print("devices:\n");
  for (const DeviceInfo& device : devices)
    fmt::print("  {:<8}  {}  ({} figures, method {})\n", device.id, device.name, nameOf(device.figures),
               device.method);
  for (const ErrorInfo& problem : catalogue.problems) fmt::print(stderr, "opscope: {}\n", describe(problem));
  return catalogue.problems.empty() ? 0 : kBadInput;
}

}  // namespace opscope::cli
