// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;

TEST_CASE("a fingerprint shows that any byte of the memory changed, or changed its place") {
  const auto device = gpu();
  for (const std::size_t size : {1u, 7u, 8u, 9u, 4096u, 1'000'003u}) {
    INFO("of " << size << " bytes");
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251 + 1);
    const auto memory = device->allocate(size);
    device->copyToDevice(*memory, bytes);
    const auto before = device->fingerprint(*memory);
    REQUIRE(before.has_value());
    CHECK(device->fingerprint(*memory) == before);
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<std::byte> changed = bytes;
      changed[at] ^= std::byte{1};
      device->copyToDevice(*memory, changed);
      CHECK(device->fingerprint(*memory) != before);
    }
    if (size >= 4096) {
      std::vector<std::byte> swapped = bytes;
      std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 2048);
      device->copyToDevice(*memory, swapped);
      CHECK(device->fingerprint(*memory) != before);
    }
    device->copyToDevice(*memory, bytes);
    CHECK(device->fingerprint(*memory) == before);
  }
}
