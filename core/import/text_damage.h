// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opscope {

/// Where, and how, a text is none that JSON may be made of.
struct TextDamage {
  std::size_t at = 0;
  std::string what;  ///< empty: nothing was found
};

/// Looks for the first byte that is no UTF-8, or a control character inside a string. The parser finds that
/// there is one and does not say where.
TextDamage findDamage(std::string_view text);

}  // namespace opscope
