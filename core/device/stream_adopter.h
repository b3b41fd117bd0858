// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace opscope {

/// What a device is, too, whose streams the rest of the program can have: a GPU in a Python process. Found by
/// a cast from Device; on the launch thread.
class StreamAdopter {
 public:
  virtual ~StreamAdopter() = default;
  /// For calls that issue on a stream of their own program's, and perhaps on others beside it: `stream`, in
  /// the device's own terms, becomes the main stream, drain() waits for every stream of the device, and so
  /// does clearing the caches before it begins. nullopt goes back to the device's own. Nothing may be in
  /// flight.
  virtual void adoptStream(std::optional<std::uintptr_t> stream) = 0;
  /// The stream that calls issue on, in the device's own terms: for whoever brings code that launches.
  virtual void* mainStream() = 0;
};

}  // namespace opscope
