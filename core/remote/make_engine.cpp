// SPDX-License-Identifier: Apache-2.0
#include "remote/make_engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include "remote/command_words.h"
#include "remote/values.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ownServer(const EngineOptions& options) {
  const fs::path program = programFolder() / "opscope";
  std::error_code ignored;
  if (!fs::exists(program, ignored))
    throw EngineDied(fmt::format("The engine's program {} is missing", program.string()),
                     "Keep the programs of Opscope together in one folder, or use the engine \"local\".");
  std::vector<std::string> words{program.string(), "serve"};
  for (const fs::path& folder : options.opFolders) {
    words.emplace_back("--ops");
    words.push_back(fs::absolute(folder).string());
  }
  return words;
}

std::unique_ptr<RemoteEngine> makeOther(const std::string& where, const EngineOptions& options,
                                        const EngineLimits& limits) {
  if (where == kProcessEngine) return makeRemoteEngine(ownServer(options), limits);
  if (!options.opFolders.empty())
    throw BadInput(fmt::format("The folder {} is on this machine, and `{}` may be an engine on another",
                               options.opFolders.front().string(), where),
                   "Give the folder to the engine itself: add --ops DIR to its command.");
  return makeRemoteEngine(remote::commandWords(where), limits);
}

}  // namespace

std::unique_ptr<Engine> makeEngine(const std::string& where, const EngineOptions& options,
                                   const EngineLimits& limits) {
  if (where == kLocalEngine) return makeLocalEngine(options);
  return makeOther(where, options, limits);
}

EngineTrial tryEngine(const std::string& where, const EngineOptions& options, const EngineLimits& limits) {
  EngineTrial trial;
  const auto begun = std::chrono::steady_clock::now();
  std::unique_ptr<Engine> engine;
  if (where == kLocalEngine) {
    engine = makeLocalEngine(options);
    const remote::Hello own = remote::ownHello();
    trial.identity = {own.version, own.host, own.pid};
  } else {
    auto other = makeOther(where, options, limits);
    trial.identity = other->identity();
    engine = std::move(other);
  }
  trial.answered = std::chrono::steady_clock::now() - begun;
  trial.devices = engine->devices();
  trial.checks = engine->diagnose();
  return trial;
}

}  // namespace opscope
