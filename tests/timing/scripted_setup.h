// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "device/scripted/scripted_device.h"
#include "timing/compare.h"

namespace opscope::test {

/// Keeps everything it is told.
class Listener : public PassObserver, public PassSink {
 public:
  void onProgress(const Progress& p) override {
    progress.push_back(p);
    if (whenProgress) whenProgress(p);
  }
  void onPass(Pass&& pass) override { passes.push_back(std::move(pass)); }
  void onBlockRestart(std::uint32_t block) override {
    restarts.push_back(block);
    std::erase_if(passes, [block](const Pass& pass) { return pass.block == block; });
  }
  void onSettled(const Settling& how) override { settling = how; }
  std::vector<Progress> progress;
  std::vector<Pass> passes;
  std::vector<std::uint32_t> restarts;
  std::optional<Settling> settling;
  std::function<void(const Progress&)> whenProgress;
};

/// A scripted device whose drop counter has been asked for its proof, with as many calls as wanted.
struct Stage {
  explicit Stage(scripted::Script script, std::size_t calls = 1)
      : device(scripted::openScriptedDevice(std::move(script))) {
    device->proveDropCounter();
    for (std::size_t c = 0; c < calls; ++c) {
      owned.push_back(device->prepare(scripted::scriptedCall()));
      contestants.push_back({std::string(1, static_cast<char>('A' + c)), owned.back().get()});
    }
  }
  Call& call() { return *owned.front(); }
  std::unique_ptr<Device> device;
  std::vector<std::unique_ptr<Call>> owned;
  std::vector<Contestant> contestants;
  Listener listener;
  std::stop_source stop;
};

/// The same kernels in every call.
inline scripted::Script always(std::vector<scripted::ScriptedKernel> kernels) {
  return {.kernels = [kernels](std::uint64_t) { return kernels; }};
}

}  // namespace opscope::test
