// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <thread>

#include "engine/engine.h"

namespace opscope::uitest {

/// An engine that plays events on a thread of its own.
class FakeEngine : public Engine {
 public:
  using Play = std::function<void(std::stop_token stop, const EngineHandler& tell)>;
  explicit FakeEngine(Play play = {}) : play_(std::move(play)) {}
  ~FakeEngine() override;

  CatalogueInfo catalogue() override;
  std::vector<DeviceInfo> devices() override;
  std::vector<Check> diagnose() override { return {}; }
  void start(const Job& job, EngineHandler handler) override;
  void stop() override { thread_.request_stop(); }
  void wait() override;

  Job lastJob;

 private:
  Play play_;
  std::jthread thread_;
};

}  // namespace opscope::uitest
