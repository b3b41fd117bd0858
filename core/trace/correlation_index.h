// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/large_vector.h"

namespace opscope {

/// Finds a record by its correlation id in O(1): a dense table where the ids are near each other (they are,
/// in one pass), a hash map where not. Positions stay valid as long as the vector it was built from.
class CorrelationIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  template <class Record>
  explicit CorrelationIndex(const std::vector<Record>& records) {
    if (records.empty()) return;
    // Records arrive nearly in the order of their ids, so the first and the last bound them, unless they do
    // not.
    if (fill(records, records.front().correlationId, records.back().correlationId)) return;
    const auto [low, high] = std::minmax_element(
        records.begin(), records.end(),
        [](const Record& a, const Record& b) { return a.correlationId < b.correlationId; });
    if (fill(records, low->correlationId, high->correlationId)) return;
    sparse_.reserve(records.size());
    for (std::size_t i = 0; i < records.size(); ++i)
      sparse_[records[i].correlationId] = static_cast<std::uint32_t>(i);
  }

  /// The position of the record with this correlation id, or kNone.
  std::uint32_t operator[](std::uint32_t correlationId) const {
    const std::uint32_t at = correlationId - first_;  // wraps far beyond the table for smaller ids
    if (at < dense_.size()) return dense_[at];
    if (sparse_.empty()) return kNone;
    const auto found = sparse_.find(correlationId);
    return found == sparse_.end() ? kNone : found->second;
  }

 private:
  // False, with nothing filled, when an id lies outside or the table would be mostly empty.
  template <class Record>
  bool fill(const std::vector<Record>& records, std::uint32_t low, std::uint32_t high) {
    if (high < low) return false;
    const std::size_t span = std::size_t{high} - low + 1;
    if (span > 8 * records.size() + 1024) return false;
    assignLarge(dense_, span, kNone);
    first_ = low;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::uint32_t at = records[i].correlationId - low;
      if (at >= span) {
        dense_.clear();
        first_ = 0;
        return false;
      }
      dense_[at] = static_cast<std::uint32_t>(i);
    }
    return true;
  }

  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint32_t, std::uint32_t> sparse_;
};

}  // namespace opscope
