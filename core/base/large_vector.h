// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
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
  auto* const begin = reinterpret_cast<std::byte*>(values.data());
  const std::size_t bytes = values.capacity() * sizeof(T);
  const std::size_t unaligned = -reinterpret_cast<std::uintptr_t>(begin) & (kHugePage - 1);
  if (bytes < unaligned + kHugePage) return;
  madvise(begin + unaligned, (bytes - unaligned) & ~(kHugePage - 1), MADV_HUGEPAGE);
}

/// The same for a vector of so many elements, those that are new with their default value.
template <class T>
void resizeLarge(std::vector<T>& values, std::size_t count) {
  reserveLarge(values, count);
  values.resize(count);
}

/// The same for a vector that is filled with one value at once.
template <class T>
void assignLarge(std::vector<T>& values, std::size_t count, const T& value) {
  reserveLarge(values, count);
  values.assign(count, value);
}

}  // namespace opscope
