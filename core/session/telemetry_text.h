// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

/// What the sensors said of a run's passes, in one line: "SM clock 1980 MHz, memory 3201 MHz, up to 44 C,
/// up to 690 W, held down by: power limit". Where the clock differs between passes it stands for each, in
/// their order: "SM clock 1980, 1755 MHz". Empty without readings.
std::string telemetryText(const std::vector<const Pass*>& passes);

}  // namespace opscope
