// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opscope {

/// The symbol by which a device module tells a profiler around this process where what is to be profiled
/// begins (true) and ends (false).
using MarkProfile = void (*)(bool begins);
inline constexpr const char* kMarkProfileEntry = "opscope_mark_profile";

/// The marks of a kind of device; of one whose module has none, or is not loaded, they do nothing. On the
/// launch thread.
class ProfileMarks {
 public:
  explicit ProfileMarks(const std::string& kind);
  bool available() const { return mark_ != nullptr; }
  void begin() const {
    if (mark_ != nullptr) mark_(true);
  }
  void end() const {
    if (mark_ != nullptr) mark_(false);
  }

 private:
  MarkProfile mark_ = nullptr;
};

}  // namespace opscope
