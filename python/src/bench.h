// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "device/provider.h"

namespace opscope::python {

/// The devices of this process, opened for the thread that measures: the thread that called. One measurement
/// at a time; none of it needs the GIL.
class Bench {
 public:
  /// Never destroyed: its device threads and CUPTI's outlive the interpreter.
  static Bench& instance();

  /// Owning the bench for one measurement. Throws BadInput while another one is under way.
  class Turn {
   public:
    explicit Turn(Bench& bench);
    ~Turn() { bench_.busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Bench& bench_;
  };

  /// The device `id`, its launch thread being the calling one; opened, and its drop counter proven, at the
  /// first call. "auto": the first GPU that can be used, else the host.
  Device& device(const std::string& id);
  /// The host device, for whoever launches on it: the one lent, while one is, else the bench's own. From any
  /// thread once it is open; whose it is stays as it was.
  Device& host();
  /// The same for what only its launch thread may do, which outside of a measurement is whoever asks.
  Device& hostOfThisThread();
  /// While an engine measures on a host device of its own, that is where this program's launches go. nullptr:
  /// no longer.
  void lendHost(Device* device) { lentHost_ = device; }
  bool busy() const { return busy_; }
  /// Forgets a device that is lost.
  void forget(const std::string& id) { devices_.erase(id); }

  std::vector<DeviceInfo> devices();
  std::vector<Check> diagnose();

 private:
  struct Opened {
    std::unique_ptr<Device> device;
    std::thread::id thread;
  };
  Bench() = default;
  std::vector<std::unique_ptr<DeviceProvider>>& providers();
  std::string resolve(const std::string& id);
  Device& open(const std::string& id);

  std::vector<std::unique_ptr<DeviceProvider>> providers_;
  std::map<std::string, Opened> devices_;
  std::atomic<Device*> lentHost_ = nullptr;
  std::atomic<bool> busy_ = false;
};

}  // namespace opscope::python
