// SPDX-License-Identifier: Apache-2.0
#include "engine/run_keeper.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "engine/beside.h"
#include "engine/count_memory.h"
#include "engine/environment.h"
#include "findings/findings.h"
#include "session/ceiling_file.h"
#include "session/device_record.h"
#include "session/noise_file.h"

namespace opscope {
namespace {

std::int64_t unixNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A file of noise floors, or of ceilings, that cannot be read costs what it holds, never the measurement.
void addNoiseFloor(Run& run) {
  try {
    const NoiseRecords records = readNoise(noiseFile());
    const auto found = records.find(deviceKey(run));
    if (found != records.end()) run.noiseFloor = noiseFloorFor(found->second, run);
  } catch (const Error& error) {
    run.environment[kNoiseProblem] = error.what();
  }
}

void addCeilings(Run& run) {
  try {
    const CeilingRecords records = readCeilings(ceilingFile());
    const auto found = records.find(deviceKey(run));
    if (found != records.end()) run.ceilings = ceilingsFor(found->second, run);
  } catch (const Error& error) {
    run.environment[kCeilingsProblem] = error.what();
  }
}

}  // namespace

// An error that only this implementation has: the others can still be measured.
bool belongsToImplementation(ErrorCode code) {
  switch (code) {
    case ErrorCode::WrongResult:
    case ErrorCode::CompileFailed:
    case ErrorCode::LibraryMissing:
    case ErrorCode::NotSupported:
    case ErrorCode::OutOfMemory:
    case ErrorCode::BadInput:
      return true;
    default:
      return false;
  }
}

RunKeeper::RunKeeper(Device& device, const Job& job, int launchCore, const EngineHandler& handler,
                     std::stop_token stop)
    : device_(device), job_(job), launchCore_(launchCore), handler_(handler), stop_(std::move(stop)) {}

void RunKeeper::begin(Run run) {
  const DeviceInfo& info = device_.info();
  run.deviceId = info.id;
  run.deviceName = info.name;
  run.figures = nameOf(info.figures);
  run.method = info.method;
  run.l2 = l2LabelOf(device_, job_.protocol);
  run.timestampTick = info.timestampTick;
  run.memoryBytesPerSecond = info.memoryBytesPerSecond;
  run.seed = job_.seed;
  run.blocks = job_.protocol.blocks;
  run.startedUnixNs = unixNow();
  run.environment.merge(environmentOf(device_, launchCore_, job_.protocol.telemetry));
  run.baseline = baselineOf(run);
  addNoiseFloor(run);
  addCeilings(run);
  run_ = std::move(run);
  handler_(JobStarted{std::make_shared<const Run>(*run_)});
}

std::optional<std::uint32_t> RunKeeper::baselineOf(const Run& run) const {
  if (job_.baseline.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const ImplementationResult& result : run.implementations) names.push_back(result.name);
  const auto found = std::find(names.begin(), names.end(), job_.baseline);
  if (found == names.end())
    throw BadInput(fmt::format("The baseline {} is not among what is measured: {}", job_.baseline,
                               fmt::join(names, ", ")),
                   "Add it to the implementations, or take one of them as the baseline.");
  return static_cast<std::uint32_t>(found - names.begin());
}

void RunKeeper::throwIfStopped() const {
  if (stop_.stop_requested()) throw Cancelled("The measurement was stopped");
}

void RunKeeper::measure(const std::vector<Call*>& calls) {
  contestants_.clear();
  for (std::uint32_t i = 0; i < calls.size(); ++i)
    if (calls[i] != nullptr) contestants_.push_back(i);
  handler_(JobPrepared{std::make_shared<const Run>(*run_)});
  if (job_.checkOnly) return;
  if (!contestants_.empty()) compareAll(calls);
  if (job_.counters) countAll(calls);
  measureBeside(calls);
}

void RunKeeper::finish(bool cancelled) {
  run_->cancelled = cancelled;
  run_->finishedUnixNs = unixNow();
  summariseRun(*run_);
  run_->findings = findIn(*run_);
}

std::shared_ptr<const Run> RunKeeper::snapshot() {
  if (!run_) return nullptr;
  summariseRun(*run_);
  run_->findings = findIn(*run_);
  return std::make_shared<const Run>(*run_);
}

void RunKeeper::compareAll(const std::vector<Call*>& calls) {
  std::vector<Contestant> contestants;
  for (const std::uint32_t i : contestants_) contestants.push_back({run_->implementations[i].name, calls[i]});
  const auto outcomes = compare(device_, contestants, job_.protocol, *this, stop_, *this);
  for (std::size_t c = 0; c < outcomes.size(); ++c) {
    ImplementationResult& result = run_->implementations[contestants_[c]];
    result.iterationCost = outcomes[c].iterationCost;
    if (!result.failure) result.failure = outcomes[c].failure;
    try {
      requireOneMethod(run_->passesOf(contestants_[c]));
    } catch (const MixedMethods& mixed) {
      result.failure = mixed.info();
    }
  }
}

// After the passes, so that no number is made while anything counts.
void RunKeeper::countAll(const std::vector<Call*>& calls) {
  summariseRun(*run_);
  for (const std::uint32_t i : contestants_) {
    ImplementationResult& result = run_->implementations[i];
    if (!result.hasNumber()) continue;
    throwIfStopped();
    onProgress({.phase = Phase::Count, .implementation = result.name});
    countMemory(device_, *calls[i], job_.protocol.l2, result);
  }
}

// After the passes, so that no number carries what happens here.
void RunKeeper::measureBeside(const std::vector<Call*>& calls) {
  summariseRun(*run_);
  Beside beside(device_, job_, *run_, *this, stop_);
  for (const std::uint32_t i : contestants_)
    if (run_->implementations[i].hasNumber()) beside.measure(i, *calls[i]);
}

void RunKeeper::onProgress(const Progress& progress) {
  handler_(JobProgress{progress});
}

void RunKeeper::onPass(Pass&& pass) {
  pass.implementation = contestants_[pass.implementation];
  run_->passes.push_back(std::make_shared<const Pass>(std::move(pass)));
  handler_(PassFinished{run_->passes.back()});
}

void RunKeeper::onBlockRestart(std::uint32_t block) {
  std::erase_if(run_->passes, [block](const auto& pass) { return pass->block == block; });
  handler_(BlockRestarted{block});
}

void RunKeeper::onSettled(const Settling& settling) {
  run_->settling = settling;
}

}  // namespace opscope
