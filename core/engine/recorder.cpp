// SPDX-License-Identifier: Apache-2.0
#include "engine/recorder.h"

#include <algorithm>

namespace opscope {

void Recorder::onEvent(const EngineEvent& event) {
  try {
    if (const auto* started = std::get_if<JobStarted>(&event)) {
      prepared_ = started->run;
      row_.reset();
      passes_.clear();
      failure_.reset();
    } else if (const auto* prepared = std::get_if<JobPrepared>(&event)) {
      prepared_ = prepared->run;
    } else if (const auto* finished = std::get_if<PassFinished>(&event)) {
      if (!failure_) add(finished->pass);
    } else if (const auto* restarted = std::get_if<BlockRestarted>(&event)) {
      if (failure_ || !row_) return;
      writer_.removeBlock(*row_, restarted->block);
      std::erase_if(passes_, [&](const auto& pass) { return pass->block == restarted->block; });
    }
  } catch (const Error& error) {
    failure_ = error.info();
  }
}

void Recorder::add(const std::shared_ptr<const Pass>& pass) {
  // Not before there is a pass: a job that fails before its first leaves no empty run behind.
  if (!row_) {
    Run begun = *prepared_;
    for (const auto& [name, value] : notes_) begun.environment[name] = value;
    begun.note = note_;
    row_ = writer_.beginRun(begun);
  }
  kept_ = true;
  writer_.addPass(*row_, pass);
  passes_.push_back(pass);
}

bool Recorder::hasJustThePassesOf(const Run& run) const {
  return passes_.size() == run.passes.size() &&
         std::equal(passes_.begin(), passes_.end(), run.passes.begin());
}

void Recorder::finish(const Run& run) {
  if (failure_) {
    const ErrorInfo failure = *failure_;
    failure_.reset();
    row_.reset();
    throw CannotWrite(failure.message, failure.remedy);
  }
  if (row_ && !hasJustThePassesOf(run)) {
    writer_.removeRun(*row_);
    row_.reset();
  }
  if (row_) {
    for (const auto& pass : run.controls) writer_.addPass(*row_, pass);
    writer_.finishRun(*row_, run);
  } else {
    writer_.addRun(run);
  }
  kept_ = true;
  row_.reset();
  passes_.clear();
  writer_.sync();
}

}  // namespace opscope
