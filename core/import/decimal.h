// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/ns.h"

namespace opscope {

/// The nanoseconds of a JSON number that counts microseconds, from its decimal digits: a double has 53 bits,
/// which at today's instants are steps of 250 ns. What is finer than a nanosecond is rounded, halves away
/// from 0. nullopt for what is no JSON number, and for more than kFurthestNs either way.
std::optional<Ns> nsOfMicroseconds(std::string_view number);

/// 127 years: the difference of any two instants fits.
inline constexpr Ns kFurthestNs = 4'000'000'000'000'000'000;

}  // namespace opscope
