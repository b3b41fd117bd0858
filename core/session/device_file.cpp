// SPDX-License-Identifier: Apache-2.0
#include "session/device_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "session/device_record.h"
#include "session/export.h"

namespace opscope {
namespace fs = std::filesystem;

void readDeviceFile(const fs::path& file, const DeviceFileKind& kind,
                    const std::function<void(const std::string& device, const DeviceJson&)>& each) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in || in.bad())
    throw CannotRead(
        fmt::format("Cannot read the {} in {}: {}", kind.what, file.string(), std::strerror(errno)));
  try {
    const DeviceJson json = DeviceJson::parse(text);
    if (json.at("format") != kind.format) throw std::invalid_argument("it is another program's");
    if (json.at("version").get<int>() > kind.version) throw std::invalid_argument("it is of a newer Opscope");
    for (const auto& [device, record] : json.at("devices").items()) each(device, record);
  } catch (const std::exception& problem) {
    throw CannotRead(
        fmt::format("The {} in {} cannot be understood: {}", kind.what, file.string(), problem.what()),
        fmt::format("Remove the file, and measure again with `{}`.", kind.command));
  }
}

void writeDeviceFile(const fs::path& file, const DeviceFileKind& kind, DeviceJson devices) {
  const DeviceJson json{{"format", kind.format}, {"version", kind.version}, {"devices", std::move(devices)}};
  requireWritableDataFile(file);
  writeTextFile(file, json.dump(1, ' ', false, DeviceJson::error_handler_t::replace) + "\n");
}

}  // namespace opscope
