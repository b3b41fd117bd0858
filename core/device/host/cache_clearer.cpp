// SPDX-License-Identifier: Apache-2.0
#include "device/host/cache_clearer.h"

#include <algorithm>
#include <cstring>

namespace opscope::host {
namespace {

constexpr std::size_t kLine = 64;

// Volatile accesses, one a line: they bring in the whole line, and no compiler may leave them out. For
// writing that matters twice: memset streams past the caches for sizes like these, and would evict nothing.
void readLines(const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine)
    static_cast<void>(*static_cast<const volatile std::byte*>(from + at));
}

void writeLines(std::byte* to, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine) *static_cast<volatile std::byte*>(to + at) = std::byte{0};
}

}  // namespace

CacheClearer::CacheClearer(std::int64_t cacheBytes, std::int64_t mostBytes)
    : bufferBytes_(cacheBytes > 0 ? std::min(2 * cacheBytes, mostBytes) : mostBytes),
      partial_(cacheBytes <= 0 || cacheBytes > bufferBytes_ / 2) {}

void CacheClearer::clear(Streams& streams, L2Mode mode) {
  if (!buffer_) {
    buffer_.emplace(static_cast<std::size_t>(bufferBytes_), nullptr);
    // Written once: pages that nobody ever wrote all map to the same page of zeros, and reading those evicts
    // nothing.
    std::memset(buffer_->data(), 0, buffer_->bytes());
  }
  std::byte* const data = buffer_->data();
  const std::size_t bytes = buffer_->bytes();
  if (mode == L2Mode::Clean) streams.launch("clear caches (read)", [=] { readLines(data, bytes); });
  if (mode == L2Mode::Zero) streams.launch("clear caches (write)", [=] { writeLines(data, bytes); });
}

std::string CacheClearer::label(L2Mode mode) const {
  std::string label(nameOf(mode));
  if (mode != L2Mode::Warm && partial_) label += " (partial)";
  return label;
}

}  // namespace opscope::host
