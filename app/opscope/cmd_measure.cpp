// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "commands.h"
#include "exit_codes.h"
#include "interrupts.h"
#include "outputs.h"
#include "progress.h"

namespace opscope::cli {
namespace {

// At most so often: the terminal must not compete with what is being timed.
constexpr auto kRedraw = std::chrono::milliseconds(100);

struct Outcome {
  std::shared_ptr<const Run> run;  // null when the job failed before its first pass
  std::optional<ErrorInfo> failure;
};

// Waits for the end of one job; the engine's thread reports, the main thread waits and draws.
class Watch {
 public:
  explicit Watch(ProgressLine& progress) : progress_(progress) {}

  void onEvent(const EngineEvent& event) {
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
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Outcome> outcome_;
};

Outcome measureOne(Engine& engine, const Job& job, Interrupts& interrupts, bool quiet) {
  ProgressLine progress(!quiet);
  Watch watch(progress);
  interrupts.setAction([&engine] { engine.stop(); });
  engine.start(job, [&watch](const EngineEvent& event) { watch.onEvent(event); });
  // A signal between the last look and start() would have stopped nothing.
  if (interrupts.requested()) engine.stop();
  Outcome outcome = watch.wait();
  engine.wait();
  interrupts.setAction({});
  return outcome;
}

std::string kindOf(const std::string& id, const std::vector<DeviceInfo>& devices) {
  if (id == "auto")
    for (const DeviceInfo& device : devices)
      if (device.figures == FigureKind::Gpu) return device.kind;
  for (const DeviceInfo& device : devices)
    if (device.id == id || id == "auto") return device.kind;
  return {};
}

// `run` gives each implementation a job, and so a budget, of its own. What cannot be resolved here is left to
// the engine, whose sentence names what there is.
std::vector<Job> jobsOf(Engine& engine, const Options& options) {
  if (options.command == Command::Compare) return {options.job};
  std::vector<std::string> names = options.job.implementations;
  if (names.empty()) {
    const std::string kind = kindOf(options.job.device, engine.devices());
    for (const CatalogueInfo::Op& op : engine.catalogue().ops) {
      if (op.name != options.job.op) continue;
      for (const CatalogueInfo::Implementation& implementation : op.implementations)
        if (std::count(implementation.deviceKinds.begin(), implementation.deviceKinds.end(), kind) > 0)
          names.push_back(implementation.name);
    }
  }
  if (names.empty()) return {options.job};
  std::vector<Job> jobs;
  for (const std::string& name : names) {
    jobs.push_back(options.job);
    jobs.back().implementations = {name};
  }
  return jobs;
}

void say(const ErrorInfo& error) {
  fmt::print(stderr, "opscope: {}: {}\n", nameOf(error.code), describe(error));
}

// What became of all jobs, as an exit code: an interruption first, then the first failure.
class Verdict {
 public:
  void add(const Outcome& outcome) {
    if (outcome.run) {
      cancelled_ = cancelled_ || outcome.run->cancelled;
      for (const ImplementationResult& result : outcome.run->implementations)
        if (result.failure) note(exitCodeOf(result.failure->code));
    }
    if (outcome.failure) note(exitCodeOf(outcome.failure->code));
  }
  void note(int code) {
    if (first_ == kMeasured) first_ = code;
  }
  int exitCode(bool interrupted) const { return cancelled_ || interrupted ? kInterrupted : first_; }

 private:
  bool cancelled_ = false;
  int first_ = kMeasured;
};

}  // namespace

int measure(const Options& options) {
  Interrupts interrupts;
  Outputs outputs(options.outputs, options.quiet);
  const auto engine = makeLocalEngine({.opFolders = options.opFolders});
  for (const ErrorInfo& problem : engine->catalogue().problems) say(problem);
  Runs runs;
  Verdict verdict;
  std::uint64_t seed = options.job.seed;
  for (Job& job : jobsOf(*engine, options)) {
    if (interrupts.requested()) break;
    job.seed = seed;
    const Outcome outcome = measureOne(*engine, job, interrupts, options.quiet);
    verdict.add(outcome);
    if (outcome.failure && outcome.failure->code != ErrorCode::Cancelled) say(*outcome.failure);
    if (outcome.run) {
      seed = outcome.run->seed;  // all see the same inputs
      outputs.keep(*outcome.run);
      runs.push_back(outcome.run);
    }
    if (outcome.failure) break;
  }
  if (!runs.empty()) outputs.write(runs);
  if (outputs.failed()) verdict.note(exitCodeOf(ErrorCode::CannotWrite));
  return verdict.exitCode(interrupts.requested());
}

}  // namespace opscope::cli
