// SPDX-License-Identifier: Apache-2.0
#include <catch2/matchers/catch_matchers_string.hpp>

#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

template <typename Failure, typename Work>
std::string messageOf(Work work) {
  try {
    work();
  } catch (const Failure& error) {
    return error.what();
  }
  FAIL("nothing of this kind was thrown");
  return {};
}

}  // namespace

TEST_CASE("memory that the GPU does not have is refused with what it has") {
  const auto device = gpu();
  const std::string message = messageOf<OutOfMemory>([&] { device->allocate(std::size_t{1} << 45); });
  CHECK_THAT(message, ContainsSubstring("free"));
  CHECK(device->allocate(1024)->bytes() == 1024);  // and the device goes on
}

TEST_CASE("launches and arguments that do not fit are refused before they run") {
  const auto device = gpu();
  CHECK_THAT(messageOf<BadInput>([&] { Program(*device, 4, {step("narrow", {"n", "x"})}); }),
             ContainsSubstring("narrow") && ContainsSubstring("'n'") && ContainsSubstring("4 bytes") &&
                 ContainsSubstring("8 bytes"));
  CHECK_THAT(messageOf<BadInput>([&] { Program(*device, 4, {step("scale", {"x", "y"})}); }),
             ContainsSubstring("takes 3 arguments") && ContainsSubstring("gives 2"));
  CHECK_THAT(messageOf<BadInput>([&] { Program(*device, 4, {step("scale", {"x", "z", "n"})}); }),
             ContainsSubstring("'z'"));
  CHECK_THAT(messageOf<BadInput>([&] { Program(*device, 4, {step("spin", {"ns"}, {}, {2048, 1, 1})}); }),
             ContainsSubstring("block"));
  CHECK_THAT(messageOf<BadInput>([&] { Program(*device, 4, {step("spin", {"ns"}, {0, 1, 1})}); }),
             ContainsSubstring("grid.x"));
  KernelStep greedy = step("spin", {"ns"});
  greedy.sharedBytes = 1 << 20;
  CHECK_THAT(messageOf<BadInput>([&] { Program(*device, 4, {greedy}); }), ContainsSubstring("shared"));
  greedy.sharedBytes = 64 << 10;  // more than the default, less than the limit
  Program(*device, 4, {greedy}).call->issue();
  device->drain();
  CHECK_THAT(messageOf<CompileFailed>([&] { Program(*device, 4, {step("no_such_kernel", {})}); }),
             ContainsSubstring("no_such_kernel"));
  Program(*device, 4, {step("twice<float>", {"x"})}).call->issue();
  device->drain();
}

TEST_CASE("what cannot be captured into a graph is refused with the reason") {
  const auto device = gpu();
  KernelStep sleeping = step("spin", {"ns"});
  sleeping.hostSleepNs = 1000;
  KernelStep waiting = step("spin", {"ns"});
  waiting.synchronise = true;
  KernelStep elsewhere = step("spin", {"ns"});
  elsewhere.otherThread = true;
  for (const KernelStep& bad : {sleeping, waiting, elsewhere})
    CHECK_THROWS_AS(Program(*device, 4, {bad}, 1000, true), NotSupported);
}

TEST_CASE("library and host functions that a GPU does not have are refused") {
  const auto device = gpu();
  CallSpec spec;
  spec.label = "test";
  spec.body = LibraryCall{"no.such.call"};
  CHECK_THROWS_AS(device->prepare(spec), NotSupported);
  spec.body = HostFunctionCall{"add"};
  CHECK_THROWS_AS(device->prepare(spec), NotSupported);
}

// Hidden: after it no CUDA call of the process works. Run alone, by name.
TEST_CASE("an illegal access loses the device, by name", "[.fatal]") {
  const auto device = gpu();
  Program program(*device, 4, {step("stray", {"x", "n"})});
  const std::string message = messageOf<DeviceLost>([&] {
    program.call->issue();
    device->drain();
  });
  CHECK_THAT(message, ContainsSubstring("cudaErrorIllegalAddress"));
  CHECK_THROWS_AS(device->drain(), DeviceLost);
  device->collector().discard();
}
