// SPDX-License-Identifier: Apache-2.0
#include "measuring.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "exit_codes.h"
#include "progress.h"

namespace opscope::cli {
namespace {

// At most so often: the terminal must not compete with what is being timed.
constexpr auto kRedraw = std::chrono::milliseconds(100);

// Waits for the end of one job; the engine's thread reports, the main thread waits and draws.
class Watch {
 public:
  Watch(ProgressLine& progress, Recorder* recorder) : progress_(progress), recorder_(recorder) {}

  void onEvent(const EngineEvent& event) {
    if (recorder_ != nullptr) recorder_->onEvent(event);
    if (const auto* update = std::get_if<JobProgress>(&event)) {
      progress_.set(update->progress);
    } else if (const auto* finished = std::get_if<JobFinished>(&event)) {
      end({finished->run, std::nullopt});
    } else if (const auto* failed = std::get_if<JobFailed>(&event)) {
      end({failed->run, failed->error});
    }
  }

  Outcome wait() {
    std::unique_lock lock(mutex_);
    while (!outcome_) {
      if (!progress_.active()) {
        ended_.wait(lock);
        continue;
      }
      ended_.wait_for(lock, kRedraw);
      progress_.draw();
    }
    progress_.clear();
    return *outcome_;
  }

 private:
  void end(Outcome outcome) {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    ended_.notify_all();
  }

  ProgressLine& progress_;
  Recorder* recorder_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Outcome> outcome_;
};

// In front of what the run says of itself: how it ended, when that was not by itself.
std::shared_ptr<const Run> withNote(std::shared_ptr<const Run> run, const std::string& note) {
  if (!run || note.empty()) return run;
  auto noted = std::make_shared<Run>(*run);
  noted->note = noted->note.empty() ? note : note + ' ' + noted->note;
  return noted;
}

}  // namespace

Outcome measureOne(Engine& engine, const Job& job, Interrupts& interrupts, bool quiet,
                   const std::string& note, Recorder* recorder) {
  ProgressLine progress(!quiet);
  Watch watch(progress, recorder);
  if (recorder != nullptr) recorder->setNote(note);
  interrupts.setAction([&engine] { engine.stop(); });
  engine.start(job, [&watch](const EngineEvent& event) { watch.onEvent(event); });
  // A signal between the last look and start() would have stopped nothing.
  if (interrupts.requested()) engine.stop();
  Outcome outcome = watch.wait();
  engine.wait();
  interrupts.setAction({});
  outcome.run = withNote(std::move(outcome.run), note);
  return outcome;
}

std::int64_t lastEndOf(const Runs& runs) {
  std::int64_t end = 0;
  for (const auto& run : runs) end = std::max(end, run->finishedUnixNs);
  return end;
}

Runs measureAll(Engine& engine, std::vector<Job> jobs, Interrupts& interrupts, Outputs& outputs, bool quiet,
                Result& result) {
  Runs runs;
  std::uint64_t seed = jobs.empty() ? 0 : jobs.front().seed;
  for (Job& job : jobs) {
    if (interrupts.requested()) break;
    job.seed = seed;
    const Outcome outcome = measureOne(engine, job, interrupts, quiet, outputs.note(), outputs.recorder());
    result.add(outcome);
    if (outcome.failure && outcome.failure->code != ErrorCode::Cancelled) say(*outcome.failure);
    if (outcome.run) {
      seed = outcome.run->seed;  // all see the same inputs
      outputs.keep(*outcome.run);
      runs.push_back(outcome.run);
    }
    // An engine of its own starts again by itself: what one job did to it is not the others' end.
    if (outcome.failure && outcome.failure->code != ErrorCode::EngineDied &&
        outcome.failure->code != ErrorCode::DeviceLost)
      break;
  }
  return runs;
}

void Result::add(const Outcome& outcome) {
  if (outcome.run) {
    // A run that its engine's death cut short was not interrupted by anybody.
    const bool cutShort = outcome.failure && outcome.failure->code != ErrorCode::Cancelled;
    cancelled_ = cancelled_ || (outcome.run->cancelled && !cutShort);
    for (const ImplementationResult& result : outcome.run->implementations)
      if (result.failure) note(exitCodeOf(result.failure->code));
  }
  if (outcome.failure) note(exitCodeOf(outcome.failure->code));
}

void Result::note(int code) {
  if (first_ == kMeasured) first_ = code;
}

int Result::exitCode(bool interrupted) const {
  return cancelled_ || interrupted ? kInterrupted : first_;
}

void say(const ErrorInfo& error) {
  fmt::print(stderr, "opscope: {}: {}\n", nameOf(error.code), describe(error));
}

std::optional<DeviceInfo> deviceOf(const std::string& id, const std::vector<DeviceInfo>& devices) {
  if (id == "auto")
    for (const DeviceInfo& device : devices)
      if (device.figures == FigureKind::Gpu) return device;
  for (const DeviceInfo& device : devices)
    if (device.id == id || device.uuid == id || id == "auto") return device;
  return std::nullopt;
}

DeviceInfo requireDevice(const std::string& id, Engine& engine) {
  const auto device = deviceOf(id, engine.devices());
  if (!device)
    throw NoSuchDevice(fmt::format("There is no device '{}'", id),
                       "`opscope doctor` says which there are, and what is missing for the others.");
  return *device;
}

std::string kindOf(const std::string& id, const std::vector<DeviceInfo>& devices) {
  const auto device = deviceOf(id, devices);
  return device ? device->kind : std::string();
}

}  // namespace opscope::cli
