// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "device/provider.h"
#include "session/run.h"
#include "timing/progress.h"
#include "timing/protocol.h"

namespace opscope {

/// What can be measured, as plain values: all that a window or a command line needs to know of ops.
struct CatalogueInfo {
  struct Workload {
    std::string label;
    std::map<std::string, std::int64_t> dims;
    std::vector<std::string> dtypes;
  };
  struct Implementation {
    std::string name;
    std::string doc;
    std::vector<std::string> deviceKinds;  ///< "cuda", "host"
    /// By device kind: the file that holds its code, where there is one; a path on the engine's machine.
    std::map<std::string, std::string> sources = {};
    Place place = {};  ///< where a spec names it; no file where none does
  };
  struct Op {
    std::string name;
    std::string family;
    std::string doc;
    std::vector<std::string> dtypes;
    std::vector<Workload> workloads;
    std::vector<Implementation> implementations;
    Place place = {};  ///< of its spec
  };
  std::vector<Op> ops;
  std::vector<ErrorInfo> problems;  ///< spec files that could not be read
};

enum class WrongResults : std::uint8_t {
  Refuse,   ///< a wrong result is a failure without a number
  Measure,  ///< measured all the same, and marked wherever it is shown
  DoNotCheck,
};

/// Experiments beside the passes. They never enter a number.
struct Controls {
  bool prequeued = false;  ///< what remains of the gaps when the whole call is queued ahead
  bool tracing = false;    ///< what recording costs a call
  bool automatic = false;  ///< both, for every call of more than one kernel
};

/// What to measure.
struct Job {
  std::string device = "auto";
  std::string op;
  std::string workload;                      ///< empty: the op's first
  std::string dtype;                         ///< empty: the workload's first
  std::map<std::string, std::int64_t> dims;  ///< replace the workload's
  std::vector<std::string> implementations;  ///< empty: all that the device can run
  std::string baseline;                      ///< what the others are compared with; empty: the first
  Protocol protocol;
  std::uint64_t seed = 0;  ///< 0: a fresh one, recorded in the run
  WrongResults wrongResults = WrongResults::Refuse;
  bool counters = false;  ///< counts what the memory moves, after the timed passes
  Controls controls;
  bool methods = false;    ///< times each call in the ways of other tools, too
  bool checkOnly = false;  ///< compiles and verifies, and measures nothing: the run has no passes
};

// What an engine tells, in this order: Started, Prepared before the first pass, any number of Progress,
// PassFinished and BlockRestarted, then one of Finished and Failed. All on the engine's own thread; handlers
// must not block and must not call the engine.
struct JobStarted {
  std::shared_ptr<const Run> run;  ///< identity, environment, implementations; no passes yet
};
struct JobPrepared {
  std::shared_ptr<const Run>
      run;  ///< with what verification found, and who cannot be measured; no passes yet
};
struct JobProgress {
  Progress progress;
};
struct PassFinished {
  std::shared_ptr<const Pass> pass;
};
struct BlockRestarted {
  std::uint32_t block = 0;  ///< records were lost: the passes of this block are void and are measured again
};
struct JobFinished {
  std::shared_ptr<const Run>
      run;  ///< complete, or with `cancelled` what there was; failures stand per implementation
};
struct JobFailed {
  ErrorInfo error;  ///< the job as a whole: unknown name, no device, device lost
  std::shared_ptr<const Run>
      run;  ///< with the passes that had finished; null when it failed before the first
};
using EngineEvent =
    std::variant<JobStarted, JobPrepared, JobProgress, PassFinished, BlockRestarted, JobFinished, JobFailed>;
using EngineHandler = std::function<void(const EngineEvent&)>;

/// Measures. One job at a time. Any thread may call.
class Engine {
 public:
  virtual ~Engine() = default;
  /// As the files are now: a spec that was written since is read again, here and by start().
  virtual CatalogueInfo catalogue() = 0;
  virtual std::vector<DeviceInfo> devices() = 0;
  virtual std::vector<Check> diagnose() = 0;
  /// Starts a job; events arrive at `handler` until Finished or Failed. Throws BadInput while another job
  /// runs.
  virtual void start(const Job& job, EngineHandler handler) = 0;
  /// Asks the running job to stop: the device drains, finished passes stay.
  virtual void stop() = 0;
  /// Waits until no job runs.
  virtual void wait() = 0;
};

struct EngineOptions {
  std::vector<std::filesystem::path> opFolders;  ///< beside the built-in ops
};

/// The engine in this process, with its own launch thread.
std::unique_ptr<Engine> makeLocalEngine(const EngineOptions& options = {});

/// Runs one job to its end and returns the run. Throws an Error with the code of what made the job fail.
std::shared_ptr<const Run> runJob(Engine& engine, const Job& job,
                                  const std::function<void(const EngineEvent&)>& watch = {});

}  // namespace opscope
