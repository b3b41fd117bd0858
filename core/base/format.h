// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/ns.h"

namespace opscope {

/// The one formatter of durations and rates for tables, the window and reports. Four significant digits;
/// exact nanoseconds stay integers and are printed as such. Always in the C locale.
enum class TimeUnit { Nanoseconds, Microseconds, Milliseconds, Seconds };

/// The unit in which a typical value of a view reads best. A view chooses once, so that its values compare by
/// eye.
TimeUnit unitFor(double typicalNs);
std::string_view suffixOf(TimeUnit unit);

/// "12.61" in the given unit, without its suffix.
std::string formatIn(TimeUnit unit, double ns);
/// "12.61 us" in the unit that suits the value.
std::string formatNs(double ns);
/// "7 420 ns": every digit, grouped by thin groups of three, for the inspector.
std::string formatExactNs(Ns ns);
/// Four significant digits of a plain number.
std::string formatNumber(double value);
/// "33.6 MB" in powers of ten, as memory bandwidth is counted.
std::string formatBytes(double bytes);
/// "41.2 %" of a share in [0, 1].
std::string formatShare(double share);

}  // namespace opscope
