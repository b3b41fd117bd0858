// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch_test_macros.hpp>
#include <cstdio>

#include "panels/banner.h"
#include "panels/pickers_bar.h"
#include "panels/verdict_bar.h"
#include "remote/make_engine.h"
#include "state/text.h"
#include "ui/window_bench.h"

// The real window over the real `opscope serve`. Elsewhere than in a build folder, and on a GPU:
//   OPSCOPE_ENGINE='bin/opscope serve' OPSCOPE_DEVICE=cuda:0 test_ui_window "the window outlives*"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::kPatience;
using opscope::uitest::waitFor;

namespace {

QString given(const char* variable, const char* otherwise) {
  return qEnvironmentVariable(variable, QString::fromUtf8(otherwise));
}

void measureOnce(Bench& bench, const char* op, const QString& device) {
  PickersBar& pickers = bench.window.pickers();
  pickers.pickDevice(device);
  pickers.pickOp(QString::fromUtf8(op));
  bench.window.measureOnce();
  REQUIRE(waitFor([&] { return !bench.window.bridge().isRunning(); }, kPatience));
  bench.settle();
}

}  // namespace

TEST_CASE("the window outlives what its engine dies of, and measures on") {
  EngineLimits limits;
  limits.still = std::chrono::seconds(5);
  const QString where = given("OPSCOPE_ENGINE", std::string(kProcessEngine).c_str());
  const QString device = given("OPSCOPE_DEVICE", "host");
  const bool gpu = device != QStringLiteral("host");
  Bench bench(makeEngine(where.toStdString(), {}, limits));
  REQUIRE(waitFor([&] { return bench.window.pickers().isReady(); }, kPatience));
  struct Death {
    const char* op;
    ErrorCode code;
  };
  const std::vector<Death> deaths = gpu ? std::vector<Death>{{"crash_out_of_bounds", ErrorCode::DeviceLost},
                                                             {"crash_endless", ErrorCode::EngineDied},
                                                             {"crash_too_large", ErrorCode::OutOfMemory}}
                                        : std::vector<Death>{{"crash_abort", ErrorCode::EngineDied},
                                                             {"crash_out_of_bounds", ErrorCode::EngineDied},
                                                             {"crash_too_large", ErrorCode::OutOfMemory}};
  for (const Death& death : deaths) {
    CAPTURE(death.op);
    measureOnce(bench, death.op, device);
    const QString said = bench.window.banner().shownText() + bench.window.verdictBar().plainText();
    std::printf("%s: %s\n", death.op, said.simplified().toUtf8().constData());
    CHECK(said.contains(text(nameOf(death.code))));

    measureOnce(bench, "add", device);
    const Run& run = *bench.window.session().runs().back();
    CHECK(run.op == "add");
    for (const ImplementationResult& implementation : run.implementations) CHECK(implementation.hasNumber());
    std::printf("then add on %s: %s\n", run.deviceName.c_str(),
                bench.window.verdictBar().plainText().simplified().toUtf8().constData());
  }
}
