// SPDX-License-Identifier: Apache-2.0
#include "session/pack.h"

#include <catch2/catch_test_macros.hpp>

#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;

namespace {

std::span<const std::byte> bytesOf(const std::vector<std::uint8_t>& packed) {
  return std::as_bytes(std::span(packed));
}

}  // namespace

TEST_CASE("a packed run comes back with its passes, bit for bit") {
  const Run run = syntheticRun();
  const auto packed = packRun(run);
  auto passes = run.passes;
  passes.insert(passes.end(), run.controls.begin(), run.controls.end());
  CHECK(dump(*unpackRun(bytesOf(packed), passes)) == dump(run));
  CHECK(packed.size() < 200'000);  // and so without its records
  CHECK(dump(*unpackRun(bytesOf(packRun(Run{})), {})) == dump(Run{}));
}

TEST_CASE("a packed run with other passes than its findings speak of is refused") {
  const Run run = syntheticRun();
  const auto packed = packRun(run);
  CHECK_THROWS_AS(unpackRun(bytesOf(packed), {}), CannotRead);
  auto stray = std::make_shared<Pass>();
  stray->implementation = 7;
  CHECK_THROWS_AS(unpackRun(bytesOf(packed), {stray}), CannotRead);
}

TEST_CASE("bytes that are no packed run are refused, wherever they are cut or changed") {
  const auto packed = packRun(Run{});
  CHECK_THROWS_AS(unpackRun({}, {}), CannotRead);
  const std::vector<std::uint8_t> text(5000, 'x');
  CHECK_THROWS_AS(unpackRun(bytesOf(text), {}), CannotRead);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{99}, std::size_t{512}, packed.size() / 2})
    CHECK_THROWS_AS(unpackRun(bytesOf(packed).first(cut), {}), CannotRead);
  // One bit after the other in every page's head: an error or a run, never a crash.
  for (std::size_t at = 0; at < packed.size(); at += 61) {
    auto changed = packed;
    changed[at] ^= 0x10;
    try {
      unpackRun(bytesOf(changed), {});
    } catch (const CannotRead&) {
      // as it should, where it matters
    }
  }
  SUCCEED();
}
