// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTimer>
#include <catch2/catch_test_macros.hpp>
#include <ctime>

#include "panels/pickers_bar.h"
#include "remote/make_engine.h"
#include "ui/watched_application.h"
#include "ui/window_bench.h"

// No event may cost the GUI thread more than this while something is measured: 16 ms is what is wanted.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::waitFor;
using opscope::uitest::watchedApplication;

namespace {

constexpr Ns kMost = 50 * kMillisecond;

}  // namespace

TEST_CASE("the watchdog sees an event that costs too much") {
  bool done = false;
  watchedApplication().watch();
  QTimer::singleShot(0, qApp, [&done] {
    const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 10;
    while (std::clock() < until) {
    }
    done = true;
  });
  REQUIRE(waitFor([&] { return done; }));
  const auto worst = watchedApplication().stop();
  CHECK(worst.cpu > kMost);
  CHECK(worst.events > 0);
  CHECK(watchedApplication().stop().cpu == 0);
}

TEST_CASE("no event costs the window more than 50 ms of CPU time while a measurement runs") {
#ifdef OPSCOPE_SANITIZED
  SKIP("a sanitizer makes every event several times as dear");
#endif
  Bench bench(makeEngine(std::string(kProcessEngine)));
  REQUIRE(waitFor([&] { return bench.window.pickers().isReady(); }, 120'000));
  PickersBar& pickers = bench.window.pickers();
  pickers.pickDevice(QStringLiteral("host"));
  pickers.pickOp(QStringLiteral("rms_norm"));
  QCoreApplication::processEvents();
  watchedApplication().watch();
  bench.window.measureOnce();
  const bool over = waitFor([&] { return !bench.window.bridge().isRunning(); }, 120'000);
  bench.settle();
  QCoreApplication::processEvents();
  const auto worst = watchedApplication().stop();
  REQUIRE(over);
  REQUIRE(bench.window.session().runs().size() == 1);
  CHECK(bench.window.session().runs()[0]->passes.size() >= 2);
  CAPTURE(worst.of.toStdString(), worst.events);
  CHECK(worst.cpu < kMost);
  WARN("the dearest of " << worst.events << " events cost " << static_cast<double>(worst.cpu) / 1e6 << " ms ("
                         << worst.of.toStdString() << ")");
}
