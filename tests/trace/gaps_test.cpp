// SPDX-License-Identifier: Apache-2.0
#include "trace/gaps.h"

#include <catch2/catch_test_macros.hpp>

#include "base/error.h"
#include "trace/trace_builder.h"

using namespace opscope;
using opscope::test::TraceBuilder;

namespace {

std::vector<Gap> gapsOf(const Trace& trace, const ClockBounds& clock) {
  return findGaps(trace, attribute(trace), clock);
}

Gap onlyGap(const Trace& trace, const ClockBounds& clock) {
  const auto gaps = gapsOf(trace, clock);
  REQUIRE(gaps.size() == 1);
  return gaps[0];
}

// A launch latency of 4 us and clocks known to 100 ns: what the boundaries below are made of.
constexpr ClockBounds kClock{.launchLatency = 4'000, .offsetLow = -100, .offsetHigh = 100, .known = true};

ClockBounds boundsOf(const Trace& trace) {
  const Attribution attribution = attribute(trace);
  return clockBounds(trace, attribution, measure(trace, attribution));
}

}  // namespace

TEST_CASE("a launch issued after the device went idle is host-late, and the parts say how late") {
  TraceBuilder b(1);
  b.launched(0, 0, 5'000, 9'000, 11'000);
  b.launched(0, 100'000, 107'000, 111'400, 113'400).queued = 107'000;
  const Gap gap = onlyGap(b.trace, kClock);
  CHECK(gap.start == 11'000);
  CHECK(gap.end == 111'400);
  CHECK(gap.host == 96'000);   // 11'000 .. 107'000
  CHECK(gap.device == 4'400);  // 107'000 .. 111'400
  CHECK(gap.copy == 0);
  CHECK(gap.instrument == 0);
  CHECK(gap.cause == GapCause::HostLate);
  CHECK(gap.entered == 100'000);
  CHECK(gap.issued == 107'000);
}

TEST_CASE("issued before idle but within the launch latency is latency-exposed, long before is queued") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 10'000, 20'000);
  b.launched(0, 17'000, 18'000, 22'000, 30'000).queued = 18'000;  // 2 us before idle
  CHECK(onlyGap(b.trace, kClock).cause == GapCause::LatencyExposed);
  CHECK(onlyGap(b.trace, kClock).device == 2'000);

  TraceBuilder early(1);
  early.launched(0, 0, 1'000, 10'000, 20'000);
  early.launched(0, 1'000, 2'000, 21'600, 30'000).queued = 2'000;
  const Gap gap = onlyGap(early.trace, kClock);
  CHECK(gap.cause == GapCause::Queued);
  CHECK(gap.host == 0);
  CHECK(gap.device == 1'600);
}

TEST_CASE("without latency timestamps the end of the launch call is when the kernel was issued") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 5'000, 6'000);
  b.launched(0, 7'000, 9'000, 13'000, 14'000);
  const Gap gap = onlyGap(b.trace, kClock);
  CHECK(gap.issued == 9'000);
  CHECK(gap.host == 3'000);
  CHECK(gap.device == 4'000);
}

TEST_CASE("a gap while a copy runs is the copy's") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 5'000, 6'000);
  b.memop(b.launch(0, 1'000, 2'000, LaunchKind::Copy), 6'500, 9'500);
  b.launched(0, 2'000, 3'000, 10'000, 11'000).queued = 3'000;
  const Gap gap = onlyGap(b.trace, kClock);
  CHECK(gap.copy == 3'000);
  CHECK(gap.device == 1'000);
  CHECK(gap.host == 0);
  CHECK(gap.cause == GapCause::Copy);
}

TEST_CASE("what the instrument took of the host's time is the instrument's") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 5'000, 6'000);
  b.launched(0, 50'000, 51'000, 55'000, 56'000).queued = 51'000;
  b.trace.overheads.push_back({.start = 10'000, .end = 48'000});
  const Gap gap = onlyGap(b.trace, kClock);
  CHECK(gap.instrument == 38'000);
  CHECK(gap.host == 7'000);  // 6'000 .. 51'000 without 38'000
  CHECK(gap.device == 4'000);
  CHECK(gap.cause == GapCause::Instrument);
}

TEST_CASE("kernels of one graph launch have gaps inside the graph") {
  TraceBuilder b(1);
  const auto graph = b.launch(0, 0, 1'000, LaunchKind::Graph);
  b.kernel(graph, 5'000, 6'000).graphId = 3;
  b.kernel(graph, 6'260, 7'000).graphId = 3;
  CHECK(onlyGap(b.trace, kClock).cause == GapCause::InGraph);
}

TEST_CASE("a kernel that starts before its launch was entered makes the clocks suspect") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 5'000, 6'000);
  b.launched(0, 9'000, 9'500, 8'000, 10'000);
  CHECK(onlyGap(b.trace, kClock).cause == GapCause::ClockSuspect);
}

TEST_CASE("a kernel without a launch record gets no verdict about the host") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 5'000, 6'000);
  b.launched(0, 1'000, 2'000, 9'000, 10'000);
  b.trace.launches.pop_back();
  const Gap gap = onlyGap(b.trace, kClock);
  CHECK(gap.cause == GapCause::NoLaunchRecord);
  CHECK(gap.issued == 0);
  CHECK(gap.host == 0);
  CHECK(gap.device == 3'000);
}

TEST_CASE("an uncertainty that straddles a boundary decides nothing and names both sides") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 5'000, 10'000);
  b.launched(0, 9'000, 10'050, 14'000, 15'000).queued = 10'050;  // 50 ns after idle, u = 100 ns
  const Gap gap = onlyGap(b.trace, kClock);
  CHECK(gap.cause == GapCause::Undecided);
  CHECK(gap.oneCause == GapCause::HostLate);
  CHECK(gap.otherCause == GapCause::LatencyExposed);
}

TEST_CASE("gaps are holes in the union over all streams") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 100, 200, 7);
  b.launched(0, 1, 2, 150, 400, 8);
  b.launched(0, 2, 3, 300, 350, 7);  // a hole in stream 7, none in the union
  b.launched(0, 3, 4, 410, 420, 7);
  const Gap gap = onlyGap(b.trace, kClock);
  CHECK(gap.start == 400);
  CHECK(gap.end == 410);
  CHECK(b.trace.kernels[gap.before].end == 400);
  CHECK(b.trace.kernels[gap.after].start == 410);
}

TEST_CASE("gaps between iterations are nobody's") {
  TraceBuilder b(2);
  b.launched(0, 0, 1, 100, 200);
  b.launched(1, 500, 501, 600, 700);
  CHECK(gapsOf(b.trace, kClock).empty());
}

TEST_CASE("clock bounds come from causality on both sides") {
  TraceBuilder b(3);
  const Ns latency[] = {4'200, 4'000, 4'400};
  const Ns drain[] = {3'000, 2'600, 5'000};
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Ns base = 1'000'000 * static_cast<Ns>(i + 1);
    b.launched(i, base - 2'000, base, base + latency[i], base + latency[i] + 10'000).queued = base;
    b.trace.iterations[i].drained = base + latency[i] + 10'000 + drain[i];
  }
  const ClockBounds bounds = boundsOf(b.trace);
  CHECK(bounds.known);
  CHECK(bounds.launchLatency == 4'200);
  CHECK(bounds.offsetLow == -2'600);  // the quickest wait returned 2.6 us after the end
  CHECK(bounds.offsetHigh == 4'000);  // the quickest start came 4 us after its issue
  CHECK(bounds.uncertainty() == (4'000 + 2'600) / 2);
}

TEST_CASE("a ping narrows the offset of the clocks from both sides") {
  TraceBuilder b(1);
  b.launched(0, 1'000, 2'000, 6'000, 16'000).queued = 2'000;
  b.trace.iterations[0].drained = 19'000;
  // Seen running 700 ns after its start, and ended 1.2 us after its release: the offset lies in [-700,
  // 1'200].
  b.kernel(b.launch(kPingId, 30'000, 31'000), 35'000, 45'000);
  b.kernel(b.launch(kPingId + 1, 50'000, 51'000), 55'000, 65'000);
  b.trace.pings = {{.seenRunning = 35'700, .released = 43'800}, {.seenRunning = 56'900, .released = 60'000}};
  const ClockBounds bounds = boundsOf(b.trace);
  CHECK(bounds.offsetLow == -700);
  CHECK(bounds.offsetHigh == 1'200);
  CHECK(bounds.launchLatency == 4'000);
}

TEST_CASE("a ping is nobody's kernel, and an id beyond the pings is an orphan") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 10, 20);
  b.launched(kPingId, 2, 3, 30, 40);
  CHECK_THROWS_AS(attribute(b.trace), OffThreadLaunch);
  b.trace.pings.resize(1);
  CHECK(attribute(b.trace).kernelsOf(0).size() == 1);
}

TEST_CASE("where host and device share a clock there is no offset") {
  TraceBuilder b(1);
  b.launched(0, 0, 1'000, 5'000, 6'000);
  b.trace.iterations[0].drained = 9'000;
  b.trace.oneClock = true;
  const ClockBounds bounds = boundsOf(b.trace);
  CHECK(bounds.known);
  CHECK(bounds.uncertainty() == 0);
  CHECK(bounds.launchLatency == 4'000);
}

TEST_CASE("without launch records nothing is known of the clocks") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 100, 200);
  b.trace.launches.clear();
  CHECK_FALSE(boundsOf(b.trace).known);
}

TEST_CASE("totals count gaps, time and iterations by cause") {
  std::vector<Gap> gaps(4);
  for (Gap& gap : gaps) gap.cause = GapCause::HostLate;
  gaps[0].end = 10;
  gaps[1].end = 20;
  gaps[2].end = 30;
  gaps[2].iteration = 4;
  gaps[3].end = 5;
  gaps[3].iteration = 4;
  gaps[3].cause = GapCause::Copy;
  const GapTotals totals = totalByCause(gaps);
  REQUIRE(totals.size() == kGapCauses);
  const GapTotal& late = totals[static_cast<std::size_t>(GapCause::HostLate)];
  CHECK(late.count == 3);
  CHECK(late.time == 60);
  CHECK(late.iterations == 2);
  CHECK(totals[static_cast<std::size_t>(GapCause::Copy)].iterations == 1);
}

TEST_CASE("every cause has a name that leads back to it") {
  for (int cause = 0; cause < kGapCauses; ++cause) {
    const auto c = static_cast<GapCause>(cause);
    CHECK(gapCauseFromName(nameOf(c)) == c);
  }
}
