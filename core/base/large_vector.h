// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <vector>

namespace opscope {

/// Reserves, and asks the system for huge pages where the memory is large: touching 70 MB for the first time
/// page by page costs more than computing what goes there (17,000 faults of a microsecond). Only a hint;
/// nothing depends on it.
template <class T>
void reserveLarge(std::vector<T>& values, std::size_t count) {
  constexpr std::uintptr_t kHugePage = 2 << 20;
  values.reserve(count);
  const auto begin = reinterpret_cast<std::uintptr_t>(values.data());
  const std::uintptr_t first = (begin + kHugePage - 1) & ~(kHugePage - 1);
  const std::uintptr_t last = (begin + values.capacity() * sizeof(T)) & ~(kHugePage - 1);
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

/// The same for a vector that is filled with one value at once.
template <class T>
void assignLarge(std::vector<T>& values, std::size_t count, const T& value) {
  reserveLarge(values, count);
  values.assign(count, value);
}

}  // namespace opscope
