// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.h"

namespace opscope {

std::uint32_t Trace::internShape(const LaunchShape& shape) {
  // From the back: consecutive launches of one call repeat a handful of shapes.
  for (std::size_t i = shapes.size(); i-- > 0;)
    if (shapes[i] == shape) return static_cast<std::uint32_t>(i);
  shapes.push_back(shape);
  return static_cast<std::uint32_t>(shapes.size() - 1);
}

}  // namespace opscope
