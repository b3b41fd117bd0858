// SPDX-License-Identifier: Apache-2.0
#include "trace/string_table.h"

namespace opscope {

StringTable::StringTable(const StringTable& other) {
  for (const std::string& text : other.texts_) intern(text);
}

StringTable& StringTable::operator=(const StringTable& other) {
  if (this != &other) *this = StringTable(other);
  return *this;
}

std::uint32_t StringTable::intern(std::string_view text) {
  if (const auto found = index_.find(text); found != index_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  index_.emplace(texts_.back(), id);
  return id;
}

const std::string& StringTable::text(std::uint32_t id) const {
  static const std::string none;
  return id < texts_.size() ? texts_[id] : none;
}

}  // namespace opscope
