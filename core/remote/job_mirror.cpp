// SPDX-License-Identifier: Apache-2.0
#include "remote/job_mirror.h"

#include <chrono>

#include "findings/findings.h"
#include "remote/death.h"
#include "remote/values.h"
#include "session/pack.h"

namespace opscope::remote {
namespace {

std::int64_t unixNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::shared_ptr<const Run> unpack(const Bytes& bytes, std::vector<std::shared_ptr<const Pass>> passes) {
  try {
    return unpackRun(std::as_bytes(std::span(bytes)), std::move(passes));
  } catch (const CannotRead& error) {
    throw ProtocolError(error.what());
  }
}

}  // namespace

std::optional<EngineEvent> JobMirror::take(const Json& message) {
  const Fields of(message, "A message");
  const std::string& type = of.text("type");
  if (type == "alive") {
    if (of.has("progress")) progress_ = progressFrom(of.at("progress"));
    still_ = std::chrono::nanoseconds(of.has("still_ns") ? of.integer<std::int64_t>("still_ns") : 0);
    return std::nullopt;
  }
  still_ = std::chrono::nanoseconds(0);
  if (type == "progress") {
    progress_ = progressFrom(of.at("progress"));
    return JobProgress{progress_};
  }
  if (type == "started") {
    started_ = unpack(of.bytes("run"), {});
    return JobStarted{started_};
  }
  if (type == "prepared") {
    if (started_ == nullptr) throw ProtocolError("A job was prepared that had not started");
    auto prepared = unpack(of.bytes("run"), {});
    if (prepared->implementations.size() != started_->implementations.size())
      throw ProtocolError("A job has other implementations than it started with");
    started_ = std::move(prepared);
    return JobPrepared{started_};
  }
  if (type == "void") {
    const auto block = of.integer<std::uint32_t>("block");
    std::erase_if(order_, [&](std::uint32_t id) { return passes_.at(id)->block == block; });
    std::erase_if(passes_, [&](const auto& pass) { return pass.second->block == block; });
    return BlockRestarted{block};
  }
  if (type == "finished") return JobFinished{finishedRun(message)};
  if (type == "failed") {
    ErrorInfo error = errorFrom(of.at("error"));
    if (error.code ==
        ErrorCode::DeviceLost) {  // what it says to do was said to a process that has only itself
      error.message += whereOf(progress_);
      error.remedy = "The engine is started again by itself; what had finished is kept.";
    }
    return JobFailed{error, of.has("run") ? finishedRun(message) : nullptr};
  }
  return takePass(message);
}

std::optional<EngineEvent> JobMirror::takePass(const Json& message) {
  const std::string& type = Fields(message, "A message").text("type");
  if (type == "pass") {
    receiver_.begin(message);
  } else if (type == "records") {
    receiver_.addRecords(message);
  } else if (type == "pass_end") {
    const auto [id, pass] = receiver_.end(message);
    if (started_ == nullptr || pass->implementation >= started_->implementations.size())
      throw ProtocolError("A pass belongs to no implementation");
    if (!passes_.try_emplace(id, pass).second) throw ProtocolError("A pass came twice");
    if (!pass->control.empty()) return std::nullopt;  // it comes with the end of its run, which has it
    order_.push_back(id);
    return PassFinished{pass};
  } else {
    throw ProtocolError("there is no message \"" + type.substr(0, 40) + "\"");
  }
  return std::nullopt;
}

std::shared_ptr<const Run> JobMirror::finishedRun(const Json& message) const {
  const Fields of(message, "The end of a job");
  std::vector<std::shared_ptr<const Pass>> passes;
  for (const Json& id : of.list("passes")) {
    const auto found = passes_.find(of.integerOf<std::uint32_t>(id, "passes"));
    if (found == passes_.end()) throw ProtocolError("A run has a pass that never came");
    passes.push_back(found->second);
  }
  return unpack(of.bytes("run"), std::move(passes));
}

JobFailed JobMirror::broken(const ErrorInfo& why) const {
  if (started_ == nullptr) return {why, nullptr};
  auto run = std::make_shared<Run>(*started_);
  for (const std::uint32_t id : order_) run->passes.push_back(passes_.at(id));
  run->cancelled = true;
  run->note = why.message;
  run->finishedUnixNs = unixNow();
  summariseRun(*run);
  run->findings = findIn(*run);
  return {why, run};
}

}  // namespace opscope::remote
