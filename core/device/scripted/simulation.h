// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "device/scripted/scripted_device.h"
#include "trace/trace.h"

namespace opscope::scripted {

/// Simulated time, and the records that an instrument would make of what happens in it. The host issues, the
/// device runs behind it; waiting brings the host's time up to the device's.
class Simulation {
 public:
  explicit Simulation(Script script);

  void call();
  void clear();
  void drain();
  void hold(Ns patience);
  /// True when the stream was held until now.
  bool release();
  /// Any thread may ask; the launch thread alone moves it.
  Ns now() const { return host_; }
  /// When the device will have done everything issued so far: what an event in its stream reads.
  Ns reached() const { return std::max(now(), device_); }

  void openRecords(std::int64_t bufferBytes);
  Trace closeRecords();
  bool recording() const { return recording_; }
  void push(std::uint64_t externalId) { ids_.push_back(externalId); }
  void pop();
  bool dropCounterWorks() const { return script_.dropCounterWorks; }

 private:
  struct Execution {
    Ns launched = 0;
    Ns start = 0;
    Ns end = 0;
  };
  struct Held {
    ScriptedKernel kernel;
    Ns launched = 0;
    double speed = 1;
    bool fits = true;
    bool recorded = false;
    std::vector<std::uint64_t> ids;
  };
  void holdBack(const std::vector<ScriptedKernel>& kernels, double speed);
  void letGo();
  void record(const ScriptedKernel& kernel, const Execution& when, bool fits);
  void recordLaunch(const ScriptedKernel& kernel, Ns launched, std::uint32_t correlationId);
  void countDrop();

  Script script_;
  std::atomic<Ns> host_;
  Ns device_;
  std::uint64_t calls_ = 0;
  std::uint32_t correlation_ = 1;
  std::vector<std::uint64_t> ids_;
  bool recording_ = false;
  bool holding_ = false;
  Ns holdEnds_ = 0;
  std::vector<Held> held_;
  std::int64_t bufferBytes_ = 0;
  Trace trace_;
};

}  // namespace opscope::scripted
