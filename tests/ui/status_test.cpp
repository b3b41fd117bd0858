// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/status.h"

#include <catch2/catch_test_macros.hpp>

#include "ui/synthetic_run.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

Selected inPass(const std::shared_ptr<Run>& run, std::int32_t pass, std::int32_t iteration) {
  Selected selected;
  selected.run = run;
  selected.pass = pass;
  selected.iteration = iteration;
  return selected;
}

std::shared_ptr<Run> sensedRun() {
  auto run = uitest::syntheticRun();
  run->environment["locked clocks"] = "unknown";
  auto pass = std::make_shared<Pass>(*run->passes[1]);
  const Ns begins = pass->trace.iterations.front().called;
  pass->telemetry = {
      {.at = begins + 1,
       .smClockMhz = 1'980,
       .memoryClockMhz = 3'201,
       .temperatureC = 38,
       .powerMilliwatt = 132'400,
       .throttleReasons = kThrottleIdle},
      {.at = begins + 2,
       .smClockMhz = 1'755,
       .memoryClockMhz = 3'201,
       .temperatureC = 41,
       .powerMilliwatt = 690'000,
       .throttleReasons = 0x4},
      {.at = begins + 3, .smClockMhz = 1'755, .temperatureC = 40, .powerMilliwatt = 695'000},
  };
  run->passes[1] = pass;
  return run;
}

}  // namespace

TEST_CASE("the status bar says what the selected pass ran at") {
  const auto run = sensedRun();
  const Selected sensed = inPass(run, 1, 3);
  const std::string device = run->deviceName + " (" + run->figures + ")";
  CHECK(deviceStatus(sensed).toStdString() ==
        device + "   SM 1755 MHz   41 °C   690 W   held down: power limit");
  CHECK(deviceStatusHint(sensed).toStdString() ==
        "While pass 2 was timed, by 3 readings of the device's sensors:\n"
        "SM clock 1755 MHz (1755 to 1980)\nmemory clock 3201 MHz\nup to 41 °C\n"
        "power 690 W (132 to 695)\nclocks held down by: power limit\nlocked clocks: unknown");

  // A pass without readings says nothing of clocks, and no run says nothing at all.
  CHECK(deviceStatus(inPass(run, 0, 3)).toStdString() == device);
  CHECK(deviceStatusHint(inPass(run, 0, 3)).isEmpty());
  CHECK(deviceStatus(Selected{}).isEmpty());
  CHECK(deviceStatusHint(Selected{}).isEmpty());
}

TEST_CASE("the status bar says where the selection is and how long it takes") {
  const auto run = uitest::syntheticRun();
  Selected selected = inPass(run, 1, 3);
  CHECK(selectionStatus(selected).toStdString() == "pass 2 of 4, iteration 3");
  selected.item = {SelectedItem::Kind::Gap, 0};
  CHECK(selectionStatus(selected).toStdString() == "pass 2 of 4, iteration 3   gap 7.400 us");
  selected.item = {SelectedItem::Kind::Kernel, 0};
  CHECK(selectionStatus(selected).toStdString() == "pass 2 of 4, iteration 3   kernel 3.000 us");
  selected.item = {SelectedItem::Kind::Kernel, 1'000'000};  // no such kernel
  CHECK(selectionStatus(selected).toStdString() == "pass 2 of 4, iteration 3");
  CHECK(selectionStatus(Selected{}).isEmpty());
}
