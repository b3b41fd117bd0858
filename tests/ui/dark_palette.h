// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

namespace opscope::uitest {

/// A dark system, as far as a palette says it.
QPalette darkPalette();

}  // namespace opscope::uitest
