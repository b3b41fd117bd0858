// SPDX-License-Identifier: Apache-2.0
#include "engine/measurement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/job_problem.h"

namespace opscope {
namespace {

VerificationRecord recordOf(const Verification& found) {
  VerificationRecord record;
  record.state = !found.checked ? VerificationRecord::State::NotChecked
                 : found.passed ? VerificationRecord::State::Passed
                                : VerificationRecord::State::Failed;
  record.compared = found.compared;
  record.elements = found.elements;
  record.tolerance = found.tolerance;
  record.worst = found.worst;
  record.where = found.where;
  return record;
}

WrongResult wrongResult(const std::string& implementation, const Verification& found) {
  return WrongResult(
      fmt::format("{} computes something else than the reference: {} ({} of {} elements compared)",
                  implementation, found.reason, found.compared, found.elements),
      "Correct the implementation, or insist on measuring it: the numbers are then marked as wrong.");
}

}  // namespace

Measurement::Measurement(Device& device, const Catalogue& catalogue, const Job& job, int launchCore,
                         const EngineHandler& handler, std::stop_token stop)
    : device_(device),
      catalogue_(catalogue),
      job_(job),
      keeper_(device, job_, launchCore, handler, std::move(stop)) {}

void Measurement::measure() {
  resolve();
  bool cancelled = false;
  try {
    prepareAll();
    std::vector<Call*> calls;
    for (const auto& prepared : calls_) calls.push_back(prepared ? &prepared->call() : nullptr);
    keeper_.measure(calls);
  } catch (const Cancelled&) {
    cancelled = true;
  }
  keeper_.finish(cancelled);
}

void Measurement::resolve() {
  const OpSpec& op = catalogue_.op(job_.op);
  problem_ = problemOf(op, job_);
  if (job_.implementations.empty()) job_.implementations = suitableImplementations();
  for (const std::string& name : job_.implementations) op.implementation(name);
  if (job_.protocol.l2 == L2Mode::Rotate) job_.protocol.copies = rotationCopies(device_, *problem_);
  describeRun();
}

std::vector<std::string> Measurement::suitableImplementations() const {
  const OpSpec& op = *problem_->op;
  std::vector<std::string> suitable;
  std::string reasons;
  for (const ImplementationSpec& implementation : op.implementations) {
    const std::string reason = whyNotSupported(*problem_, implementation.name, device_.info().kind);
    if (reason.empty())
      suitable.push_back(implementation.name);
    else
      reasons += (reasons.empty() ? "" : " ") + reason;
  }
  if (suitable.empty())
    throw NotSupported(fmt::format("No implementation of {} can run here: {}", op.name, reasons),
                       "`opscope list` says which devices each implementation has.");
  return suitable;
}

void Measurement::describeRun() {
  const OpSpec& op = *problem_->op;
  Run run;
  run.op = op.name;
  run.family = op.family;
  run.workload = problem_->workload;
  run.dtype = nameOf(problem_->dtype);
  run.dims = problem_->dims;
  for (const ParamSpec& param : op.params) run.params[param.name] = param.value;
  run.flops = problem_->flops;
  run.bytes = problem_->bytes;
  for (const std::string& name : job_.implementations)
    run.implementations.push_back({.name = name, .doc = op.implementation(name).doc});
  if (!job_.baseline.empty()) op.implementation(job_.baseline);
  keeper_.begin(std::move(run));
}

void Measurement::prepareAll() {
  keeper_.onProgress({.phase = Phase::Prepare});
  tensors_ = std::make_unique<Tensors>(device_, *problem_);
  if (job_.protocol.l2 == L2Mode::Rotate)
    rotation_ = std::make_unique<Rotation>(*tensors_, job_.protocol.copies);
  calls_.resize(keeper_.run().implementations.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    keeper_.throwIfStopped();
    try {
      prepareOne(i);
    } catch (const Error& error) {
      if (!belongsToImplementation(error.code())) throw;
      keeper_.run().implementations[i].failure = error.info();
      calls_[i].reset();
    }
  }
}

void Measurement::prepareOne(std::size_t implementation) {
  ImplementationResult& result = keeper_.run().implementations[implementation];
  keeper_.onProgress({.phase = Phase::Prepare, .implementation = result.name});
  calls_[implementation] = std::make_unique<PreparedCall>(rotation_ ? rotation_->prepare(result.name)
                                                                    : prepare(*tensors_, result.name));
  if (job_.wrongResults == WrongResults::DoNotCheck) return;
  keeper_.onProgress({.phase = Phase::Verify, .implementation = result.name});
  PreparedCall& call = *calls_[implementation];
  const Verification found = rotation_ ? rotation_->verify(call) : verify(*tensors_, call);
  result.verification = recordOf(found);
  if (found.checked && !found.passed && job_.wrongResults == WrongResults::Refuse)
    throw wrongResult(result.name, found);
}

}  // namespace opscope
