// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <catch2/catch_test_macros.hpp>

#include "state/engine_bridge.h"
#include "state/worker.h"
#include "ui/fake_engine.h"
#include "ui/synthetic_run.h"
#include "ui/wait_for.h"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::waitFor;

namespace {

/// Events are handled until the condition holds; false after ten seconds.
}  // namespace

TEST_CASE("events arrive on the GUI thread in order; a flood of progress does not") {
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  auto engine = std::make_shared<uitest::FakeEngine>([run](std::stop_token, const EngineHandler& tell) {
    tell(JobStarted{run});
    for (std::uint32_t pass = 0; pass < 4; ++pass) {
      for (std::uint32_t i = 0; i < 10'000; ++i)
        tell(JobProgress{{Phase::Measure, "eager", pass + 1, 4, i, 10'000, 0}});
      tell(PassFinished{run->passes[pass]});
    }
    tell(JobFinished{run});
  });
  EngineBridge bridge(engine);
  std::vector<QString> seen;
  int progress = 0;
  const auto* gui = QThread::currentThread();
  bool elsewhere = false;
  QObject::connect(&bridge, &EngineBridge::started, [&] { seen.push_back(QStringLiteral("started")); });
  QObject::connect(&bridge, &EngineBridge::progressed, [&] {
    ++progress;
    elsewhere = elsewhere || QThread::currentThread() != gui;
  });
  QObject::connect(&bridge, &EngineBridge::passFinished, [&](const std::shared_ptr<const Pass>& pass) {
    seen.push_back(QStringLiteral("pass %1").arg(pass->pass));
  });
  QObject::connect(&bridge, &EngineBridge::finished, [&] { seen.push_back(QStringLiteral("finished")); });
  QElapsedTimer clock;
  clock.start();
  bridge.start({});
  CHECK(bridge.isRunning());
  REQUIRE(waitFor([&] { return !bridge.isRunning(); }));
  CHECK(seen == std::vector<QString>{QStringLiteral("started"), QStringLiteral("pass 0"),
                                     QStringLiteral("pass 1"), QStringLiteral("pass 2"),
                                     QStringLiteral("pass 3"), QStringLiteral("finished")});
  CHECK_FALSE(elsewhere);
  // Ten a second and one for each change of pass or event, of 40 000.
  CHECK(progress <= 12 + clock.elapsed() / 100);
}

TEST_CASE("a job that failed says why and gives what there was") {
  auto engine = std::make_shared<uitest::FakeEngine>([](std::stop_token, const EngineHandler& tell) {
    tell(JobFailed{{ErrorCode::DeviceLost, "The device is gone.", "Start again.", {}}, nullptr});
  });
  EngineBridge bridge(engine);
  ErrorInfo seen;
  QObject::connect(&bridge, &EngineBridge::failed, [&](const ErrorInfo& error) { seen = error; });
  bridge.start({});
  REQUIRE(waitFor([&] { return seen.code == ErrorCode::DeviceLost; }));
  CHECK_FALSE(bridge.isRunning());
}

TEST_CASE("a bridge that goes away takes its job with it") {
  std::atomic<bool> ended = false;
  auto engine =
      std::make_shared<uitest::FakeEngine>([&ended](std::stop_token stop, const EngineHandler& tell) {
        while (!stop.stop_requested()) tell(JobProgress{});
        ended = true;
        tell(JobFinished{uitest::syntheticRun()});
      });
  {
    EngineBridge bridge(engine);
    bridge.start({});
  }
  CHECK(ended);
  QCoreApplication::processEvents();  // nothing may reach the bridge that was
}

TEST_CASE("the worker delivers in order on the thread that owns it") {
  std::vector<int> order;
  const auto* gui = QThread::currentThread();
  {
    Worker worker;
    for (int i = 0; i < 50; ++i) {
      worker.post([&, i]() -> std::function<void()> {
        CHECK(QThread::currentThread() != gui);
        return [&, i] { order.push_back(i); };
      });
    }
    REQUIRE(waitFor([&] { return worker.pending() == 0; }));
  }
  REQUIRE(order.size() == 50);
  CHECK(std::is_sorted(order.begin(), order.end()));
}
