// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace opscope {

/// Interned strings: equal strings get equal ids, ids count from 0 in order of first appearance.
class StringTable {
 public:
  StringTable() = default;
  StringTable(const StringTable& other);
  StringTable& operator=(const StringTable& other);
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;

  std::uint32_t intern(std::string_view text);
  /// The empty string for an id that was never given out: a damaged file must not crash a view.
  const std::string& text(std::uint32_t id) const;
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque keeps the strings that the index's views point into in place
  std::unordered_map<std::string_view, std::uint32_t> index_;
};

}  // namespace opscope
