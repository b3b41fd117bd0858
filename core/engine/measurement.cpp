// SPDX-License-Identifier: Apache-2.0
#include "engine/measurement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <random>

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

std::uint64_t freshSeed() {
  std::random_device device;
  const std::uint64_t seed = (std::uint64_t{device()} << 20) ^ device();
  return seed == 0 ? 1 : seed;
}

DType resolveDtype(const OpSpec& op, const Job& job) {
  if (job.dtype.empty()) {
    for (const WorkloadSpec& workload : op.workloads)
      if (workload.label == job.workload && !workload.dtypes.empty()) return workload.dtypes.front();
    return op.dtypes.front();
  }
  if (const auto dtype = dtypeFromName(job.dtype)) return *dtype;
  std::vector<std::string_view> known;
  for (const DType dtype : op.dtypes) known.push_back(nameOf(dtype));
  throw UnknownName(fmt::format("There is no dtype '{}'", job.dtype),
                    fmt::format("{} has {}.", op.name, fmt::join(known, ", ")));
}

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

}  // namespace

Measurement::Measurement(Device& device, const Catalogue& catalogue, const Job& job, int launchCore,
                         const EngineHandler& handler, std::stop_token stop)
    : device_(device),
      catalogue_(catalogue),
      job_(job),
      launchCore_(launchCore),
      handler_(handler),
      stop_(std::move(stop)) {}

void Measurement::measure() {
  resolve();
  try {
    prepareAll();
    handler_(JobPrepared{std::make_shared<const Run>(*run_)});
    if (!contestants_.empty()) compareAll();
    if (job_.counters) countAll();
    measureBeside();
  } catch (const Cancelled&) {
    run_->cancelled = true;
  }
  run_->finishedUnixNs = unixNow();
  summariseRun(*run_);
  run_->findings = findIn(*run_);
}

std::shared_ptr<const Run> Measurement::run() {
  if (!run_) return nullptr;
  summariseRun(*run_);
  run_->findings = findIn(*run_);
  return std::make_shared<const Run>(*run_);
}

void Measurement::resolve() {
  const OpSpec& op = catalogue_.op(job_.op);
  if (job_.workload.empty() && !op.workloads.empty() && job_.dims.empty())
    job_.workload = op.workloads.front().label;
  if (job_.seed == 0) job_.seed = freshSeed();
  problem_ = makeProblem(op, job_.workload, resolveDtype(op, job_), job_.dims, job_.seed);
  if (job_.implementations.empty()) job_.implementations = suitableImplementations();
  for (const std::string& name : job_.implementations) op.implementation(name);
  if (job_.protocol.l2 == L2Mode::Rotate) job_.protocol.copies = rotationCopies(device_, *problem_);
  describeRun();
  handler_(JobStarted{std::make_shared<const Run>(*run_)});
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
  const DeviceInfo& info = device_.info();
  Run run;
  run.op = op.name;
  run.family = op.family;
  run.workload = problem_->workload;
  run.dtype = nameOf(problem_->dtype);
  run.dims = problem_->dims;
  for (const ParamSpec& param : op.params) run.params[param.name] = param.value;
  run.flops = problem_->flops;
  run.bytes = problem_->bytes;
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
  run.environment = environmentOf(device_, launchCore_, job_.protocol.telemetry);
  for (const std::string& name : job_.implementations)
    run.implementations.push_back({.name = name, .doc = op.implementation(name).doc});
  run.baseline = baseline();
  addNoiseFloor(run);
  addCeilings(run);
  run_ = std::move(run);
}

std::optional<std::uint32_t> Measurement::baseline() const {
  if (job_.baseline.empty()) return std::nullopt;
  problem_->op->implementation(job_.baseline);
  const auto& names = job_.implementations;
  const auto found = std::find(names.begin(), names.end(), job_.baseline);
  if (found == names.end())
    throw BadInput(fmt::format("The baseline {} is not among what is measured: {}", job_.baseline,
                               fmt::join(names, ", ")),
                   "Add it to the implementations, or take one of them as the baseline.");
  return static_cast<std::uint32_t>(found - names.begin());
}

void Measurement::prepareAll() {
  onProgress({.phase = Phase::Prepare});
  tensors_ = std::make_unique<Tensors>(device_, *problem_);
  if (job_.protocol.l2 == L2Mode::Rotate)
    rotation_ = std::make_unique<Rotation>(*tensors_, job_.protocol.copies);
  calls_.resize(run_->implementations.size());
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (stop_.stop_requested()) throw Cancelled("The measurement was stopped");
    try {
      prepareOne(i);
      contestants_.push_back(static_cast<std::uint32_t>(i));
    } catch (const Error& error) {
      if (!belongsToImplementation(error.code())) throw;
      run_->implementations[i].failure = error.info();
      calls_[i].reset();
    }
  }
}

void Measurement::prepareOne(std::size_t implementation) {
  ImplementationResult& result = run_->implementations[implementation];
  onProgress({.phase = Phase::Prepare, .implementation = result.name});
  calls_[implementation] = std::make_unique<PreparedCall>(rotation_ ? rotation_->prepare(result.name)
                                                                    : prepare(*tensors_, result.name));
  if (job_.wrongResults == WrongResults::DoNotCheck) return;
  onProgress({.phase = Phase::Verify, .implementation = result.name});
  PreparedCall& call = *calls_[implementation];
  const Verification found = rotation_ ? rotation_->verify(call) : verify(*tensors_, call);
  result.verification = recordOf(found);
  if (found.checked && !found.passed && job_.wrongResults == WrongResults::Refuse)
    throw wrongResult(result.name, found);
}

void Measurement::compareAll() {
  std::vector<Contestant> contestants;
  for (const std::uint32_t i : contestants_)
    contestants.push_back({run_->implementations[i].name, &calls_[i]->call()});
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
void Measurement::countAll() {
  summariseRun(*run_);
  for (const std::uint32_t i : contestants_) {
    ImplementationResult& result = run_->implementations[i];
    if (!result.hasNumber()) continue;
    if (stop_.stop_requested()) throw Cancelled("The measurement was stopped");
    onProgress({.phase = Phase::Count, .implementation = result.name});
    countMemory(device_, calls_[i]->call(), job_.protocol.l2, result);
  }
}

// After the passes, so that no number carries what happens here.
void Measurement::measureBeside() {
  summariseRun(*run_);
  Beside beside(device_, job_, *run_, *this, stop_);
  for (const std::uint32_t i : contestants_)
    if (run_->implementations[i].hasNumber()) beside.measure(i, calls_[i]->call());
}

void Measurement::onProgress(const Progress& progress) {
  handler_(JobProgress{progress});
}

void Measurement::onPass(Pass&& pass) {
  pass.implementation = contestants_[pass.implementation];
  run_->passes.push_back(std::make_shared<const Pass>(std::move(pass)));
  handler_(PassFinished{run_->passes.back()});
}

void Measurement::onBlockRestart(std::uint32_t block) {
  std::erase_if(run_->passes, [block](const auto& pass) { return pass->block == block; });
  handler_(BlockRestarted{block});
}

void Measurement::onSettled(const Settling& settling) {
  run_->settling = settling;
}

}  // namespace opscope
