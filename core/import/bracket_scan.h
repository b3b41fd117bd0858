// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opscope {

/// Follows the brackets of a JSON text that comes in pieces, so that it can be cut between two elements
/// without being parsed. Knows strings and escapes; whether the brackets match in kind is the parser's
/// question.
class BracketScan {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  struct Found {
    std::size_t scanned = 0;            ///< how many bytes of the piece were looked at
    std::size_t elementEnd = kNowhere;  ///< behind the last bracket that closed down to the depth asked for
    std::size_t closed = kNowhere;      ///< where a bracket closed below it: nothing behind was looked at
  };

  /// Goes on with a piece of the text. `depth` is the depth (brackets open) at which elements stand.
  Found scan(std::string_view piece, std::int64_t depth);
  std::int64_t depth() const { return depth_; }
  bool inString() const { return inString_; }
  /// Begins anew at this depth, outside of strings.
  void restart(std::int64_t depth);

 private:
  bool step(char c, std::size_t at, std::int64_t depth, Found& found);

  std::int64_t depth_ = 0;
  bool inString_ = false;
  bool escaped_ = false;  // the next byte belongs to a backslash
};

}  // namespace opscope
