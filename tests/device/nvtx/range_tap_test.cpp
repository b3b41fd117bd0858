// SPDX-License-Identifier: Apache-2.0
#include "device/range_tap.h"

#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>

#include "device/host/clock.h"
#include "device/host_fixture.h"

using namespace opscope;

namespace {

// As a program does: before the first call of NVTX's, and before the first recording.
const bool kOffered = [] {
  ::unsetenv("NVTX_INJECTION64_PATH");
  offerRangeTap({OPSCOPE_BINARY_DIR "/no-such-folder", OPSCOPE_BINARY_DIR "/lib/opscope"});
  return true;
}();

std::uint32_t seven() {
  return 7;
}

template <class Mark>
Trace recorded(Mark mark) {
  RangeTap tap;
  tap.start({.now = &host::steadyNow, .thread = &seven});
  mark();
  Trace trace;
  tap.stop(trace);
  return trace;
}

std::string nameOf(const Trace& trace, std::size_t range) {
  return trace.names.text(trace.ranges.at(range).nameId);
}
std::string domainOf(const Trace& trace, std::size_t range) {
  return trace.names.text(trace.ranges.at(range).domainId);
}

nvtxEventAttributes_t attributesOf(nvtxMessageType_t type, nvtxMessageValue_t message) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = type;
  attributes.message = message;
  return attributes;
}

}  // namespace

TEST_CASE("the library is offered to NVTX, and the doctor says so") {
  REQUIRE(kOffered);
  CHECK(std::string(std::getenv("NVTX_INJECTION64_PATH")) == OPSCOPE_BINARY_DIR
        "/lib/opscope/libopscope_nvtx.so");
  CHECK(rangeTapCheck().state == Check::State::Ok);
}

TEST_CASE("a call on the host device marks its parts, inside its iteration and on its thread") {
  host::HostFixture fixture([](host::CallContext& context) {
    nvtxRangePushA("outer");
    nvtxRangePushA("inner");
    context.launch("work", [] {});
    nvtxRangePop();
    nvtxRangePop();
  });
  const auto call = fixture.prepare();
  const Ns before = host::steadyNow();
  const Trace trace = fixture.record(*call);
  const Ns after = host::steadyNow();
  REQUIRE(trace.ranges.size() == 2);
  CHECK(nameOf(trace, 0) == "outer");
  CHECK(nameOf(trace, 1) == "inner");
  const RangeRecord &outer = trace.ranges[0], &inner = trace.ranges[1];
  CHECK(before <= outer.start);
  CHECK(outer.start <= inner.start);
  CHECK(inner.start <= inner.end);
  CHECK(inner.end <= outer.end);
  CHECK(outer.end <= after);
  REQUIRE(trace.launches.size() == 1);
  CHECK(outer.threadId == trace.launches[0].threadId);
  CHECK(outer.threadId == static_cast<std::uint32_t>(::gettid()));
  // One clock: the launch that it surrounds lies in it.
  CHECK(inner.start <= trace.launches[0].start);
  CHECK(trace.launches[0].end <= inner.end);
  CHECK(outer.kind == RangeKind::Nested);
  CHECK(outer.known == RangeKnown::Whole);
  // What was marked in one pass is not in the next.
  CHECK(fixture.record(*call).ranges.size() == 2);
}

TEST_CASE("every way in which NVTX gives a name arrives") {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("a library");
  nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered");
  nvtxDomainHandle_t wide = nvtxDomainCreateW(L"w\u00efde");
  const Trace trace = recorded([&] {
    nvtxRangePushW(L"\u03bb \U0001f600");
    nvtxRangePop();
    nvtxMessageValue_t message{};
    message.registered = registered;
    const auto byHandle = attributesOf(NVTX_MESSAGE_TYPE_REGISTERED, message);
    nvtxDomainRangePushEx(domain, &byHandle);
    nvtxDomainRangePop(domain);
    message.unicode = L"w";
    const auto unicode = attributesOf(NVTX_MESSAGE_TYPE_UNICODE, message);
    nvtxDomainMarkEx(wide, &unicode);
    message.ascii = "ex";
    const auto ascii = attributesOf(NVTX_MESSAGE_TYPE_ASCII, message);
    nvtxRangePushEx(&ascii);
    nvtxRangePop();
    const auto unnamed = attributesOf(NVTX_MESSAGE_UNKNOWN, {});
    nvtxRangePushEx(&unnamed);
    nvtxRangePop();
    nvtxRangePushA(nullptr);
    nvtxRangePop();
    nvtxMarkA("mark");
  });
  REQUIRE(trace.ranges.size() == 7);
  CHECK(nameOf(trace, 0) == "\xce\xbb \xf0\x9f\x98\x80");
  CHECK(domainOf(trace, 0).empty());
  CHECK(nameOf(trace, 1) == "registered");
  CHECK(domainOf(trace, 1) == "a library");
  CHECK(nameOf(trace, 2) == "w");
  CHECK(domainOf(trace, 2) ==
        "w\xc3\xaf"
        "de");
  CHECK(trace.ranges[2].kind == RangeKind::Mark);
  CHECK(nameOf(trace, 3) == "ex");
  CHECK(nameOf(trace, 4).empty());
  CHECK(nameOf(trace, 5).empty());
  CHECK(nameOf(trace, 6) == "mark");
  CHECK(trace.ranges[6].start == trace.ranges[6].end);
}

TEST_CASE("ranges by handle may overlap and end on another thread") {
  const Trace trace = recorded([] {
    const nvtxRangeId_t one = nvtxRangeStartA("one");
    const nvtxRangeId_t two = nvtxRangeStartA("two");
    CHECK(one != two);
    std::thread([one] { nvtxRangeEnd(one); }).join();
    nvtxRangeEnd(two);
  });
  REQUIRE(trace.ranges.size() == 2);
  CHECK(trace.ranges[0].kind == RangeKind::Free);
  CHECK(trace.ranges[0].end <= trace.ranges[1].end);
  CHECK(trace.ranges[1].start <= trace.ranges[0].end);
}

TEST_CASE("what began before the recording, or did not end in it, says so") {
  nvtxRangePushA("before");
  const nvtxRangeId_t handle = nvtxRangeStartA("long before");
  const Trace trace = recorded([handle] {
    nvtxRangePop();
    nvtxRangeEnd(handle);
    nvtxRangePushA("open");
  });
  nvtxRangePop();
  REQUIRE(trace.ranges.size() == 3);
  CHECK(trace.ranges[0].known == RangeKnown::End);
  CHECK(nameOf(trace, 0).empty());
  CHECK(trace.ranges[1].known == RangeKnown::End);
  CHECK(trace.ranges[1].kind == RangeKind::Free);
  CHECK(trace.ranges[2].known == RangeKnown::Beginning);
  CHECK(nameOf(trace, 2) == "open");
}

TEST_CASE("one recording at a time: the second has no ranges, and the first loses none") {
  RangeTap first, second;
  first.start({.now = &host::steadyNow, .thread = &seven});
  second.start({.now = &host::steadyNow, .thread = &seven});
  nvtxMarkA("mark");
  Trace none, all;
  second.stop(none);
  nvtxMarkA("mark");
  first.stop(all);
  CHECK(none.ranges.empty());
  CHECK(all.ranges.size() == 2);
  second.start({.now = &host::steadyNow, .thread = &seven});
  second.discard();
  CHECK(recorded([] {}).ranges.empty());
}

TEST_CASE("threads mark at once, and no range is lost or mixed up") {
  constexpr int kThreads = 4, kEach = 500;
  const auto threadNumber = [] { return static_cast<std::uint32_t>(::gettid()); };
  // The first call of a process fills NVTX's table of functions, which its headers read without a lock: not
  // ours to race.
  nvtxInitialize(nullptr);
  RangeTap tap;
  tap.start({.now = &host::steadyNow, .thread = threadNumber});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < kEach; ++i) {
        nvtxRangePushA("a");
        nvtxRangePushA("b");
        nvtxRangePop();
        nvtxRangePop();
      }
    });
  for (std::thread& thread : threads) thread.join();
  Trace trace;
  tap.stop(trace);
  REQUIRE(trace.ranges.size() == 2 * kThreads * kEach);
  std::set<std::uint32_t> ids;
  bool whole = true;
  for (const RangeRecord& range : trace.ranges) {
    ids.insert(range.threadId);
    whole = whole && range.known == RangeKnown::Whole && range.start <= range.end;
  }
  CHECK(whole);
  CHECK(ids.size() == kThreads);
}

TEST_CASE("names are bounded in length and number") {
  const std::string multibyte = std::string(255, 'x') + "\xc3\xa4 and more";
  const Trace trace = recorded([&] {
    nvtxMarkA(multibyte.c_str());
    for (int i = 0; i < 66'000; ++i) nvtxMarkA(std::to_string(i).c_str());
  });
  REQUIRE(trace.ranges.size() == 66'001);
  CHECK(nameOf(trace, 0) == std::string(255, 'x') + "...");  // the letter is not cut in two
  CHECK(nameOf(trace, 1) == "0");
  CHECK(nameOf(trace, 66'000) == "(one of very many names)");
}
