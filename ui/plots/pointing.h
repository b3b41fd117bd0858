// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace opscope::ui {

// How exactly a hand points, in pixels.

inline constexpr double kStill = 4;  ///< that a click may move: from there on it drags
inline constexpr double kNear = 10;  ///< within which a click still means a point

}  // namespace opscope::ui
