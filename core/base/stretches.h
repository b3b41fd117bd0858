// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace opscope {

/// Calls each(first, last) for stretches that together are [0, count), at the same time, and returns when all
/// have returned. There are as many as cores, at most 16, and none is shorter than `least` unless it is the
/// only one. Each beyond the first has a thread of its own, which may run on every core of the process: it
/// does not inherit the one core that a launch thread is pinned to. What stretches throw is thrown here, of
/// several the first by number. Any thread.
void inStretches(std::size_t count, std::size_t least,
                 const std::function<void(std::size_t first, std::size_t last)>& each);

}  // namespace opscope
