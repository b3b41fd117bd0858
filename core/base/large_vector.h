// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace opscope {

/// Leaves new elements as they come: what is filled at once, by several threads, need not be zeroed by one
/// before.
template <class T>
struct LeavesUnset : std::allocator<T> {
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): the name that allocators have
    using other = LeavesUnset<U>;
  };
  LeavesUnset() = default;
  template <class U>
  LeavesUnset(const LeavesUnset<U>&) noexcept {}
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    std::construct_at(at, std::forward<Args>(args)...);
  }
};

/// Bytes whose values are those that were written into them, and none before.
using UnsetBytes = std::vector<std::byte, LeavesUnset<std::byte>>;

/// Reserves, and asks the system for huge pages where the memory is large: touching 70 MB for the first time
/// page by page costs more than computing what goes there (17,000 faults of a microsecond). Only a hint;
/// nothing depends on it.
template <class T, class Allocator>
void reserveLarge(std::vector<T, Allocator>& values, std::size_t count) {
  constexpr std::uintptr_t kHugePage = 2 << 20;
  values.reserve(count);
  auto* const begin = reinterpret_cast<std::byte*>(values.data());
  const std::size_t bytes = values.capacity() * sizeof(T);
  const std::size_t unaligned = -reinterpret_cast<std::uintptr_t>(begin) & (kHugePage - 1);
  if (bytes < unaligned + kHugePage) return;
  madvise(begin + unaligned, (bytes - unaligned) & ~(kHugePage - 1), MADV_HUGEPAGE);
}

/// The same for a vector of so many elements, those that are new with their default value.
template <class T, class Allocator>
void resizeLarge(std::vector<T, Allocator>& values, std::size_t count) {
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
