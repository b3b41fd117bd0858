// SPDX-License-Identifier: Apache-2.0
#include "suite/run_suite.h"

#include <algorithm>
#include <ranges>

#include "suite/failed_run.h"
#include "suite/request.h"

namespace opscope {
namespace {

using RunPointer = std::shared_ptr<const Run>;

// The engine, or the device under it, is gone with whatever it ran.
bool endsEngine(ErrorCode code) {
  return code == ErrorCode::EngineDied || code == ErrorCode::DeviceLost;
}

// Says nothing of the op: no other would fare better.
bool endsSuite(ErrorCode code) {
  return code == ErrorCode::NoSuchDevice || code == ErrorCode::DeviceUnavailable;
}

bool hasFailed(const Run& run) {
  return std::any_of(run.implementations.begin(), run.implementations.end(),
                     [](const ImplementationResult& result) {
                       return result.failure && result.failure->code != ErrorCode::NotSupported;
                     });
}

// None of its implementations has a number, because the engine died.
bool wasLostWithItsEngine(const Run& run) {
  return !run.implementations.empty() && std::any_of(run.implementations.begin(), run.implementations.end(),
                                                     [](const ImplementationResult& result) {
                                                       return result.failure &&
                                                              endsEngine(result.failure->code);
                                                     });
}

class Suite {
 public:
  Suite(const SuiteWork& work, SuiteHost& host) : work_(work), host_(host) {}

  SuiteResult run() {
    result_.jobs = work_.jobs.size();
    for (const PlannedJob& planned : work_.jobs) {
      number_ = result_.done + 1;
      const bool before = find(planned) != nullptr;
      const RunPointer run = obtain(planned);
      if (!run) break;
      const bool apart = wasLostWithItsEngine(*run) && run->implementations.size() > 1;
      if (apart && !measureApart(planned, *run)) break;
      if (!apart) add(*run, before);
      ++result_.done;
      if (before) ++result_.before;
    }
    return std::move(result_);
  }

 private:
  void add(const Run& run, bool before) {
    for (SuiteRow& row : suiteRows(run, before, work_.earlier ? &*work_.earlier : nullptr))
      result_.rows.push_back(std::move(row));
    host_.onRun(run, before, number_, result_.jobs);
  }

  // The latest, where there are several.
  RunPointer find(const PlannedJob& planned) const {
    for (const RunPointer& run : std::ranges::reverse_view(work_.had))
      if (answers(*run, planned, work_.device)) return work_.retryFailed && hasFailed(*run) ? nullptr : run;
    return nullptr;
  }

  // What the session has, or a new run, kept. Null when the suite ends here.
  RunPointer obtain(const PlannedJob& planned) {
    RunPointer run = find(planned);
    if (!run) run = measure(planned);
    if (run) dropBeginningsOf(planned);
    return run;
  }

  RunPointer measure(const PlannedJob& planned) {
    if (host_.stopped()) {
      result_.interrupted = true;
      return nullptr;
    }
    const Environment notes{{kSuiteRequest, requestText(planned)}};
    const JobOutcome outcome = host_.measure(planned.job, notes);
    if (outcome.failure ? outcome.failure->code == ErrorCode::Cancelled : outcome.run->cancelled) {
      result_.interrupted = true;
      keepBeginning(outcome.run, notes);
      return nullptr;
    }
    if (outcome.failure && endsSuite(outcome.failure->code)) {
      result_.ended = outcome.failure;
      keepBeginning(outcome.run, notes);
      return nullptr;
    }
    // Before the failure is kept: without an engine it was not the job's.
    if (outcome.failure && endsEngine(outcome.failure->code)) host_.renewEngine(*outcome.failure);
    auto run = std::make_shared<Run>(
        outcome.failure ? failedRun(planned, work_.device, *outcome.failure, outcome.run.get())
                        : *outcome.run);
    run->environment[kSuiteRequest] = notes.at(kSuiteRequest);
    host_.keep(*run);
    return run;
  }

  // The passes of a run that nobody ended: no answer to its job, and no less measured.
  void keepBeginning(const RunPointer& cutShort, const Environment& notes) {
    if (!cutShort || cutShort->passes.empty()) return;
    Run run = *cutShort;
    run.cancelled = true;
    run.environment[kSuiteRequest] = notes.at(kSuiteRequest);
    host_.keep(run);
  }

  // Not before its job has its answer: until then these are all there is of it.
  void dropBeginningsOf(const PlannedJob& planned) {
    for (const RunPointer& had : work_.had)
      if (isBeginningOf(*had, planned, work_.device)) host_.drop(*had);
  }

  // False when the suite ends here.
  bool measureApart(const PlannedJob& planned, const Run& together) {
    for (const ImplementationResult& result : together.implementations) {
      PlannedJob alone = planned;
      alone.job.implementations = {result.name};
      alone.job.baseline.clear();
      alone.implementations = {result.name};
      const bool before = find(alone) != nullptr;
      const RunPointer run = obtain(alone);
      if (!run) return false;
      add(*run, before);
    }
    return true;
  }

  const SuiteWork& work_;
  SuiteHost& host_;
  SuiteResult result_;
  std::size_t number_ = 0;
};

}  // namespace

SuiteResult runSuite(const SuiteWork& work, SuiteHost& host) {
  return Suite(work, host).run();
}

}  // namespace opscope
