// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "session/run.h"

namespace opscope::ui {

/// One way of timing one implementation's call.
struct MethodRow {
  std::uint32_t implementation = 0;
  MethodReading reading;
  bool isTheNumber = false;     ///< what the records call busy
  std::optional<double> times;  ///< of the number; absent without a reading
};

/// Those of every implementation, in the order in which they were measured; empty where none was asked for.
/// Pure.
std::vector<MethodRow> methodsOf(const Run& run);

/// What recording costs each implementation's call, where that was measured.
QStringList tracingWords(const Run& run);

}  // namespace opscope::ui
