// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "device/device.h"

struct opscope_plugin;  // NOLINT(readability-identifier-naming): of the C header

namespace opscope {

/// A library with ops of somebody else's (device/opscope_plugin.h), loaded once in a process and never
/// closed. Any thread loads; the rest is for the launch thread.
class Plugin {
 public:
  /// Throws CannotRead (the file is not there or does not load) and BadInput (no entry, another version of
  /// the interface, a function that must be there and is not).
  static std::shared_ptr<const Plugin> load(const std::filesystem::path& file);

  /// The text of a spec file, or empty when the library describes nothing.
  std::string describe() const;
  /// Has the library prepare an implementation. Throws BadInput with the library's own words, NotSupported on
  /// a device whose streams no library can have. The call throws DeviceLost with its words when it refuses.
  std::unique_ptr<Call> prepare(Device& device, const CallSpec& spec,
                                const std::string& implementation) const;

 private:
  Plugin(std::filesystem::path file, const opscope_plugin& functions)
      : file_(std::move(file)), functions_(functions) {}
  std::filesystem::path file_;
  const opscope_plugin& functions_;
};

}  // namespace opscope
