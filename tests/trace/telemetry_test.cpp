// SPDX-License-Identifier: Apache-2.0
#include "trace/telemetry.h"

#include <catch2/catch_test_macros.hpp>

#include "trace/pass.h"

using namespace opscope;

TEST_CASE("throttle reasons read as words in the order of their bits") {
  CHECK(throttleText(0) == "none");
  CHECK(throttleText(0x1) == "idle");
  CHECK(throttleText(0x4 | 0x40) == "power limit, thermal (hardware)");
  CHECK(throttleWords(0x1ff).size() == 9);
  CHECK(throttleText(std::uint64_t{1} << 63) == "reason 0x8000000000000000");
  CHECK(throttleText(0x8 | 0x200) == "hardware slowdown, reason 0x200");
}

TEST_CASE("the summary of a pass speaks of its timed loop") {
  Pass pass;
  pass.trace.iterations = {{.called = 100}, {.called = 200}};
  pass.telemetry = {
      {.at = 10, .smClockMhz = 345, .temperatureC = 90, .powerMilliwatt = 70'000, .throttleReasons = 0x1},
      {.at = 90, .smClockMhz = 1980, .memoryClockMhz = 2619, .temperatureC = 40, .throttleReasons = 0},
      {.at = 150, .smClockMhz = 1755, .temperatureC = 44, .powerMilliwatt = 690'000, .throttleReasons = 0x4},
      {.at = 300, .smClockMhz = 1800, .temperatureC = 43, .powerMilliwatt = 650'000, .throttleReasons = 0x20},
  };
  const TelemetrySummary summary = summariseTelemetry(pass);
  CHECK(summary.readings == 3);
  CHECK(summary.smClockMhz == ReadingRange{1755, 1800, 1980});
  CHECK(summary.memoryClockMhz == ReadingRange{2619, 2619, 2619});
  CHECK(summary.hottestC == 44);
  // Two readings: the middle is the upper of them.
  CHECK(summary.powerMilliwatt == ReadingRange{650'000, 690'000, 690'000});
  CHECK(summary.throttleReasons == 0x24);
}

TEST_CASE("readings that all lie before or after the loop are still its nearest") {
  Pass pass;
  pass.trace.iterations = {{.called = 100}};
  pass.telemetry = {{.at = 10, .smClockMhz = 1}, {.at = 20, .smClockMhz = 2}};
  CHECK(summariseTelemetry(pass).readings == 1);
  CHECK(summariseTelemetry(pass).smClockMhz == ReadingRange{2, 2, 2});
  pass.telemetry = {{.at = 110, .smClockMhz = 3}, {.at = 120, .smClockMhz = 4}};
  CHECK(summariseTelemetry(pass).smClockMhz == ReadingRange{3, 4, 4});
}

TEST_CASE("a pass without readings, or without iterations, has an honest summary") {
  CHECK(summariseTelemetry(Pass{}).readings == 0);
  CHECK_FALSE(summariseTelemetry(Pass{}).smClockMhz);
  CHECK_FALSE(summariseTelemetry(Pass{}).throttleReasons);
  Pass pass;
  pass.telemetry = {{.at = 5, .temperatureC = 30}};
  const TelemetrySummary summary = summariseTelemetry(pass);
  CHECK(summary.readings == 1);
  CHECK(summary.hottestC == 30);
  CHECK_FALSE(summary.smClockMhz);
  CHECK_FALSE(summary.powerMilliwatt);
}

TEST_CASE("other processes are those that are not this one") {
  DeviceUse use;
  CHECK(otherProcesses(use) == 0);
  CHECK(otherBusyProcesses(use) == 0);
  use.processes = {{.pid = 7, .smPercent = 80}, {.pid = 8, .smPercent = 0}, {.pid = 9, .smPercent = 20}};
  use.ownPid = 7;
  CHECK(otherProcesses(use) == 2);
  CHECK(otherBusyProcesses(use) == 1);
  use.processes[2].smPercent.reset();
  CHECK(otherBusyProcesses(use) == 0);
}

TEST_CASE("where this process cannot be told from the others, one of those that work is taken to be it") {
  DeviceUse use;
  use.processes = {{.pid = 7, .smPercent = 80}};
  CHECK(otherProcesses(use) == 0);
  CHECK(otherBusyProcesses(use) == 0);
  use.processes.push_back({.pid = 8, .smPercent = 5});
  CHECK(otherProcesses(use) == 1);
  CHECK(otherBusyProcesses(use) == 1);
}

TEST_CASE("the clock of several passes is the median of theirs, and unknown where nothing read it") {
  const auto passAt = [](std::optional<int> megahertz) {
    Pass pass;
    if (megahertz) pass.telemetry.push_back({.at = 1, .smClockMhz = *megahertz});
    return pass;
  };
  const Pass slow = passAt(1'500), fast = passAt(1'980), middle = passAt(1'700), unread = passAt({});
  CHECK_FALSE(observedSmClock({}));
  CHECK_FALSE(observedSmClock(std::vector<const Pass*>{&unread}));
  CHECK(observedSmClock(std::vector<const Pass*>{&fast, &slow, &middle}) == 1'700);
  CHECK(observedSmClock(std::vector<const Pass*>{&fast, &unread, &slow}) == 1'740);
}
