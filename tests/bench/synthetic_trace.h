// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace opscope::bench {

/// Writes a trace as Kineto writes one, about as large as asked: launches, operators, flows, kernels and
/// copies in the shares that traces of training have (one kernel in twelve events). The same bytes for the
/// same size. Returns how many events it has. `write` is called with some of the text at a time.
std::uint64_t writeSyntheticTrace(std::uint64_t bytes, const std::function<void(std::string_view)>& write);

}  // namespace opscope::bench
