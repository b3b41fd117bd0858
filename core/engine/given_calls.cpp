// SPDX-License-Identifier: Apache-2.0
#include "engine/given_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "device/affinity.h"
#include "device/stream_adopter.h"
#include "timing/launch_thread.h"

namespace opscope {
namespace {

// The caller's stream is the device's main one for as long as this lives.
class Adopted {
 public:
  Adopted(Device& device, std::optional<std::uintptr_t> stream)
      : adopter_(stream ? dynamic_cast<StreamAdopter*>(&device) : nullptr) {
    if (adopter_ != nullptr) adopter_->adoptStream(stream);
  }
  ~Adopted() {
    try {
      if (adopter_ != nullptr) adopter_->adoptStream(std::nullopt);
    } catch (...) {
      // Only a call from another thread is refused, and then the constructor's was.
    }
  }
  Adopted(const Adopted&) = delete;
  Adopted& operator=(const Adopted&) = delete;

 private:
  StreamAdopter* adopter_;
};

}  // namespace

GivenMeasurement::GivenMeasurement(Device& device, GivenOp op, const Job& job, int launchCore,
                                   const EngineHandler& handler, std::stop_token stop)
    : device_(device),
      op_(std::move(op)),
      job_(job),
      launchCore_(launchCore),
      keeper_(device, job_, launchCore, handler, std::move(stop)) {
  chooseCalls();
  if (job_.protocol.l2 == L2Mode::Rotate)
    throw BadInput(
        fmt::format("The calls of {} bring their own tensors, so there are no copies to cycle through",
                    op_.name),
        "Choose clean, zero or warm.");
}

void GivenMeasurement::chooseCalls() {
  std::set<std::string> names;
  for (const GivenCall& call : op_.calls)
    if (!names.insert(call.name).second)
      throw BadInput(fmt::format("{} has two implementations called {}", op_.name, call.name));
  if (names.empty()) throw BadInput(op_.name + " has nothing to measure", "Give at least one callable.");
  if (job_.implementations.empty()) return;
  std::vector<GivenCall> chosen;
  for (const std::string& name : job_.implementations) {
    const auto found = std::find_if(op_.calls.begin(), op_.calls.end(),
                                    [&](const GivenCall& call) { return call.name == name; });
    if (found == op_.calls.end())
      throw UnknownName(fmt::format("{} has no implementation {}", op_.name, name),
                        fmt::format("There are: {}.", fmt::join(names, ", ")));
    chosen.push_back(*found);
  }
  op_.calls = std::move(chosen);
}

void GivenMeasurement::measure() {
  describeRun();
  bool cancelled = false;
  const Adopted adopted(device_, op_.stream);
  try {
    prepareAll();
    std::vector<Call*> calls;
    for (const auto& call : calls_) calls.push_back(call.get());
    keeper_.measure(calls);
  } catch (const Cancelled&) {
    cancelled = true;
  }
  keeper_.finish(cancelled);
  explainOffThread();
}

void GivenMeasurement::describeRun() {
  Run run;
  run.op = op_.name;
  run.family = op_.family;
  run.workload = op_.workload;
  run.dtype = op_.dtype;
  run.dims = op_.dims;
  run.flops = op_.flops;
  run.bytes = op_.bytes;
  run.environment = op_.environment;
  for (const GivenCall& call : op_.calls) run.implementations.push_back({.name = call.name, .doc = call.doc});
  keeper_.begin(std::move(run));
}

void GivenMeasurement::prepareAll() {
  calls_.resize(op_.calls.size());
  // A program's pools (OpenMP's, a compiler's workers) begin with its first call and inherit where that may
  // run.
  const auto unpinned = launchCore_ >= 0 ? std::make_unique<UnpinnedScope>() : nullptr;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    keeper_.throwIfStopped();
    keeper_.onProgress({.phase = Phase::Prepare, .implementation = op_.calls[i].name});
    try {
      calls_[i] = op_.calls[i].prepare();
      calls_[i]->issue();
      device_.drain();
    } catch (const Error& error) {
      if (!belongsToImplementation(error.code())) throw;
      keeper_.run().implementations[i].failure = error.info();
      calls_[i].reset();
    }
  }
  if (launchCore_ >= 0) keepOtherThreadsOff(launchCore_);
}

void GivenMeasurement::explainOffThread() {
  if (op_.offThreadRemedy.empty()) return;
  for (ImplementationResult& result : keeper_.run().implementations)
    if (result.failure && result.failure->code == ErrorCode::OffThreadLaunch)
      result.failure->remedy += " " + op_.offThreadRemedy;
}

}  // namespace opscope
