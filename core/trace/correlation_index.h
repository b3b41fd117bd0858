// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace opscope {

/// Finds a record by its correlation id in O(1): a dense table where the ids are near each other (they are,
/// in one pass), a hash map where not. Positions stay valid as long as the vector it was built from.
class CorrelationIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  template <class Record>
  explicit CorrelationIndex(const std::vector<Record>& records) {
    if (records.empty()) return;
    std::uint32_t low = records.front().correlationId, high = low;
    for (const Record& record : records) {
      low = std::min(low, record.correlationId);
      high = std::max(high, record.correlationId);
    }
    first_ = low;
    const std::size_t span = std::size_t{high} - low + 1;
    if (span <= 8 * records.size() + 1024) {
      dense_.assign(span, kNone);
      for (std::size_t i = 0; i < records.size(); ++i)
        dense_[records[i].correlationId - low] = static_cast<std::uint32_t>(i);
    } else {
      sparse_.reserve(records.size());
      for (std::size_t i = 0; i < records.size(); ++i)
        sparse_[records[i].correlationId] = static_cast<std::uint32_t>(i);
    }
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
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint32_t, std::uint32_t> sparse_;
};

}  // namespace opscope
