// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/format.h"

namespace opscope {

/// Values with the same key have the same text of formatIn(): making it costs a tenth of the text, so that a
/// million cells are searched by few texts. Where rounding is a close call the key is the value's own.
std::uint64_t textKeyIn(TimeUnit unit, double ns);

}  // namespace opscope
