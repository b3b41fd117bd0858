// SPDX-License-Identifier: Apache-2.0
#include "device/host/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/error.h"
#include "base/format.h"
#include "device/host/machine.h"
#include "device/host/streams.h"

namespace opscope::host {
namespace {

constexpr std::align_val_t kPage{4096};

std::byte* allocatePages(std::size_t bytes) {
  const std::int64_t available = availableMemoryBytes();
  // A system that does not tell (0) leaves the decision to the allocator.
  const bool fits = available == 0 || bytes <= static_cast<std::size_t>(available);
  void* memory = fits ? ::operator new(std::max<std::size_t>(bytes, 1), kPage, std::nothrow) : nullptr;
  if (memory == nullptr)
    throw OutOfMemory(
        fmt::format("The host device has no {} left: {} are available",
                    formatBytes(static_cast<double>(bytes)), formatBytes(static_cast<double>(available))),
        "Choose a smaller workload, or free memory.");
  return static_cast<std::byte*>(memory);
}

}  // namespace

void HostMemory::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, kPage);
}

HostMemory::HostMemory(std::size_t bytes, Streams* streams)
    : bytes_(bytes), streams_(streams), memory_(allocatePages(bytes)) {}

HostMemory::~HostMemory() {
  if (streams_ != nullptr) streams_->waitIdle();
}

}  // namespace opscope::host
