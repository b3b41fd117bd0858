// SPDX-License-Identifier: Apache-2.0
#include "device/nvtx/tap_recording.h"

namespace opscope {

TapRecording& TapRecording::instance() {
  // Never destroyed: a program may mark itself while it ends. NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
  static auto* const recording = new TapRecording;
  return *recording;
}

bool TapRecording::start(const OpscopeTapClock& clock) {
  const std::lock_guard lock(mutex_);
  if (on_.load(std::memory_order_relaxed)) return false;
  clock_ = clock;
  events_.clear();
  names_.clear();
  outOfMemory_ = false;
  on_.store(true, std::memory_order_release);
  return true;
}

bool TapRecording::stop(void (*each)(void*, const OpscopeTapEvent*), void* context) {
  const std::lock_guard lock(mutex_);
  on_.store(false, std::memory_order_release);
  for (const OpscopeTapEvent& event : events_) each(context, &event);
  events_.clear();
  return !outOfMemory_;
}

const char* TapRecording::keep(std::string_view text) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    return kept_.emplace(text).first->c_str();
  } catch (...) {
    return "";
  }
}

const char* TapRecording::nameOf(std::string_view text) {
  if (text.size() <= kLongestName) return intern(text);
  std::string cut(text.substr(0, kLongestName));
  while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U) cut.pop_back();
  if (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0x80U) != 0) cut.pop_back();
  return intern(cut + "...");
}

const char* TapRecording::intern(std::string_view text) {
  if (const auto known = names_.find(text); known != names_.end()) return known->c_str();
  if (names_.size() >= kMostNames) text = "(one of very many names)";
  return names_.emplace(text).first->c_str();
}

// The stamp of a beginning is taken last and that of an end first, so that what this costs lies outside.
void TapRecording::begin(TapKind kind, const char* domain, std::string_view name,
                         std::uint64_t handle) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!on()) return;
    OpscopeTapEvent& event = events_.emplace_back(
        OpscopeTapEvent{0, handle, nameOf(name), domain, clock_.thread(), static_cast<std::uint32_t>(kind)});
    event.at = clock_.now();
  } catch (...) {
    outOfMemory_ = true;  // said when it stops: an exception must not enter the program that marks itself
  }
}

void TapRecording::end(TapKind kind, const char* domain, std::uint64_t handle) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!on()) return;
    const std::int64_t at = clock_.now();
    events_.push_back({at, handle, "", domain, clock_.thread(), static_cast<std::uint32_t>(kind)});
  } catch (...) {
    outOfMemory_ = true;
  }
}

}  // namespace opscope

// C's names: they are looked up by these.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int opscope_tap_start(const OpscopeTapClock* clock) {
  return opscope::TapRecording::instance().start(*clock) ? 1 : 0;
}

extern "C" __attribute__((visibility("default"))) int opscope_tap_stop(
    void (*each)(void* context, const OpscopeTapEvent* event), void* context) {
  return opscope::TapRecording::instance().stop(each, context) ? 1 : 0;
}
// NOLINTEND(readability-identifier-naming)
