// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "state/selection.h"

namespace opscope::ui {

// The words of the status bar. Pure.

/// Where the selection is and how long what it holds takes: "pass 2 of 6, iteration 14   gap 7.42 us".
QString selectionStatus(const Selected& selected);

/// The device, and what its sensors said while the selected pass was timed: "NVIDIA H200 (GPU)   SM 1980 MHz
/// 38 °C   132 W   held down: power limit". Without a pass, or without sensors, the device alone.
QString deviceStatus(const Selected& selected);
/// The same with lowest and highest, and what is known of locked clocks; empty where nothing was read.
QString deviceStatusHint(const Selected& selected);

}  // namespace opscope::ui
