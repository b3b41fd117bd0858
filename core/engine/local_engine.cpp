// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "device/affinity.h"
#include "device/host/host_device.h"
#include "engine/catalogue_info.h"
#include "engine/engine.h"
#include "engine/given_calls.h"
#include "engine/measurement.h"
#include "ops/reference.h"
#include "timing/launch_thread.h"

namespace opscope {
namespace {

class LocalEngine final : public Engine {
 public:
  LocalEngine(EngineOptions options, std::shared_ptr<GivenOps> given)
      : options_(std::move(options)), given_(std::move(given)) {
    registerHostFunctions();
    currentCatalogue();
    // Providers are asked on the launch thread: the CUDA one must switch on latency timestamps before the
    // first CUDA call, and the thread that makes that call becomes the device's.
    thread_.post([this](std::stop_token) { providers_ = deviceProviders(); }).get();
  }

  ~LocalEngine() override {
    stop();
    thread_.post([this](std::stop_token) {
      device_.reset();
      providers_.clear();
    });
  }

  CatalogueInfo catalogue() override {
    CatalogueInfo info = describeCatalogue(*currentCatalogue());
    if (!given_) return info;
    // The program's own come first, and stand where the catalogue has one of the same name.
    std::vector<CatalogueInfo::Op> ops = given_->describe();
    for (CatalogueInfo::Op& op : info.ops)
      if (!isGiven(op.name)) ops.push_back(std::move(op));
    info.ops = std::move(ops);
    return info;
  }

  std::vector<DeviceInfo> devices() override {
    std::vector<DeviceInfo> all;
    onLaunchThread([&] {
      for (const auto& provider : providers_)
        for (DeviceInfo& info : provider->devices()) all.push_back(std::move(info));
    });
    return all;
  }

  std::vector<Check> diagnose() override {
    std::vector<Check> all;
    onLaunchThread([&] {
      for (const auto& provider : providers_)
        for (Check& check : provider->diagnose()) all.push_back(std::move(check));
    });
    return all;
  }

  void start(const Job& job, EngineHandler handler) override {
    const std::lock_guard lock(mutex_);
    if (running_.valid() && running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      throw BadInput("A measurement is running", "Wait for it, or stop it.");
    running_ = thread_
                   .post([this, job, handler = std::move(handler)](const std::stop_token& token) {
                     runOne(job, handler, token);
                   })
                   .share();
  }

  void stop() override { thread_.stop(); }

  void wait() override {
    std::shared_future<void> running;
    {
      const std::lock_guard lock(mutex_);
      running = running_;
    }
    if (running.valid()) running.wait();
  }

 private:
  template <class Work>
  void onLaunchThread(Work work) {
    thread_.post([&](std::stop_token) { work(); }).get();
  }

  // `name`: an id, or a UUID, which names a device wherever it stands in the machine's order.
  Device& deviceFor(const std::string& name) {
    if (device_ && requestedId_ == name) return *device_;
    device_.reset();
    std::string id = name;
    for (const auto& provider : providers_)
      for (const DeviceInfo& info : provider->devices()) {
        if (info.id != name && (info.uuid.empty() || info.uuid != name)) continue;
        id = info.id;
        if (!info.nearbyCpus.empty()) nearbyCpus_ = info.nearbyCpus;
      }
    core_ = pinThisThread(nearbyCpus_);
    device_ = openDevice(providers_, id);
    device_->bindToThisThread();
    requestedId_ = name;
    device_->proveDropCounter();
    // Opening and proving have started the driver's own threads; they inherited the launch core.
    if (core_ >= 0) keepOtherThreadsOff(core_);
    return *device_;
  }

  // A measurement keeps the one it began with: its problem points into it.
  std::shared_ptr<const Catalogue> currentCatalogue() {
    const std::lock_guard lock(catalogueMutex_);
    if (!catalogue_ || !catalogue_->isCurrent())
      catalogue_ = std::make_shared<const Catalogue>(loadCatalogue(options_));
    return catalogue_;
  }

  bool isGiven(const std::string& op) const {
    if (!given_) return false;
    const auto ops = given_->describe();
    return std::any_of(ops.begin(), ops.end(), [&](const CatalogueInfo::Op& one) { return one.name == op; });
  }

  void runOne(const Job& job, const EngineHandler& handler, const std::stop_token& token) {
    std::shared_ptr<const Catalogue> catalogue;
    if (isGiven(job.op))
      runAs<GivenMeasurement>(job, handler, [&](Device& device, auto& measurement) {
        measurement.emplace(device, make(job, device), job, core_, handler, token);
      });
    else
      runAs<Measurement>(job, handler, [&](Device& device, auto& measurement) {
        catalogue = currentCatalogue();
        measurement.emplace(device, *catalogue, job, core_, handler, token);
      });
  }

  // What the program starts while it makes its calls does not stay on the launch core.
  GivenOp make(const Job& job, Device& device) {
    const auto unpinned = core_ >= 0 ? std::make_unique<UnpinnedScope>() : nullptr;
    return given_->make(job, device);
  }

  template <class Kind, class Make>
  void runAs(const Job& job, const EngineHandler& handler, Make make) {
    std::optional<Kind> measurement;
    try {
      make(deviceFor(job.device), measurement);
      measurement->measure();
      const auto run = measurement->run();
      measurement.reset();
      handler(JobFinished{run});
    } catch (...) {
      const ErrorInfo error = currentErrorInfo();
      const auto run = measurement ? measurement->run() : nullptr;
      measurement.reset();
      if (error.code == ErrorCode::DeviceLost) device_.reset();
      handler(JobFailed{error, run});
    }
  }

  EngineOptions options_;
  std::mutex catalogueMutex_;
  std::shared_ptr<const Catalogue> catalogue_;
  std::shared_ptr<GivenOps> given_;
  std::vector<std::unique_ptr<DeviceProvider>> providers_;  // launch thread only, like the device
  std::unique_ptr<Device> device_;
  std::string requestedId_;
  std::vector<int> nearbyCpus_;
  int core_ = -1;
  std::mutex mutex_;
  std::shared_future<void> running_;
  LaunchThread thread_;  // last: its end waits for work that uses everything above
};

}  // namespace

std::unique_ptr<Engine> makeLocalEngine(const EngineOptions& options) {
  return makeLocalEngine(options, nullptr);
}

std::unique_ptr<Engine> makeLocalEngine(const EngineOptions& options, std::shared_ptr<GivenOps> given) {
  return std::make_unique<LocalEngine>(options, std::move(given));
}

}  // namespace opscope
