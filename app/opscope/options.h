// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "remote/make_engine.h"
#include "session/kept.h"
#include "suite/axis.h"
#include "trace/intervals.h"

namespace opscope::cli {

/// Where results go beside the table. "-" is standard output.
struct OutputOptions {
  std::string csv;  ///< a *.csv file takes the summary, anything else is a folder for the whole set
  std::string json;
  std::string markdown;
  std::string session;
  RecordsKept records = RecordsKept::All;  ///< of what goes into the session
  std::string note;                        ///< what each run that is measured says beside its numbers
};

/// compare: whether slower is a failure, and than what.
struct GateOptions {
  bool failIfSlower = false;
  std::optional<double> threshold;  ///< as a share, where one was asked for
  std::filesystem::path baseline;   ///< an earlier session; empty: the run's own baseline
};

enum class Command {
  None,
  List,
  Run,
  Compare,
  Methods,
  Launch,
  Noise,
  Ceilings,
  Suite,
  Sweep,
  Merge,
  Diff,
  History,
  Vacuum,
  Note,
  Import,
  Gaps,
  Export,
  Doctor,
  Show,
  Serve,
  NewOp
};

/// What is measured by `suite`, and what of it again.
struct SuiteOptions {
  PlanRequest request;
  std::filesystem::path jobs;  ///< a list in YAML; empty: the catalogue
  bool retryFailed = false;
  std::filesystem::path baseline;  ///< an earlier session; empty: none
  bool failIfSlower = false;
};

/// How often `launch` issues the call.
struct LaunchOptions {
  std::uint32_t warmups = 3;
  std::uint32_t calls = 1;  ///< that a profiler sees
};

/// Which sessions `merge` joins.
struct MergeOptions {
  std::filesystem::path out;
  std::vector<std::filesystem::path> inputs;
};

/// What `diff` compares.
struct DiffOptions {
  std::string then;  ///< a file, or FILE#RUN
  std::string now;
  std::optional<double> threshold;  ///< as a share, where one was asked for
  bool failIfSlower = false;
};

/// What `history` looks at; empty names are all.
struct HistoryOptions {
  std::vector<std::filesystem::path> files;
  std::string op;
  std::string workload;
  std::string implementation;
};

/// Which traces `import` reads, and where to.
struct ImportRequest {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;
  std::string iterations = "ProfilerStep#";
};

/// What `export` writes beside what OutputOptions has.
struct ExportOptions {
  std::string chrome;   ///< empty: no Chrome trace
  std::string html;     ///< empty: no page
  std::size_t run = 0;  ///< counted from 1; 0: all, and the last one for what takes one
};

/// Which run of a session `note` speaks of.
struct NoteOptions {
  std::string text;     ///< empty: what was said is taken back
  std::size_t run = 0;  ///< counted from 1; 0: the last
};

/// What of a trace `gaps` looks at.
struct GapsOptions {
  std::filesystem::path file;
  std::optional<std::uint32_t> device;
  std::vector<std::uint32_t> streams;
  std::optional<Interval> range;  ///< from the start of the trace's first kernel
  std::size_t longest = 10;
  std::string json;  ///< empty: none
};

/// What `new-op` writes, and where.
struct NewOpOptions {
  std::string name;
  std::filesystem::path folder;
};

/// What the command line asks for.
struct Options {
  Command command = Command::None;
  std::string engine = kLocalEngine;  ///< local, process, or a command line
  EngineLimits limits;                ///< of an engine that is another process
  std::vector<std::filesystem::path> opFolders;
  std::optional<std::string> deviceFilter;  ///< list
  Job job;                                  ///< run, compare, methods and noise
  SuiteOptions suite;
  Axis axis;  ///< sweep
  LaunchOptions launch;
  MergeOptions merge;
  DiffOptions diff;
  HistoryOptions history;
  ImportRequest importing;
  GapsOptions gaps;
  ExportOptions exporting;
  NoteOptions note;
  NewOpOptions newOp;
  GateOptions gate;
  bool quiet = false;
  OutputOptions outputs;
  std::filesystem::path session;  ///< show, export, vacuum and note
  std::string baseline;           ///< show; empty: as it was measured
};

/// The engine that the options name.
std::unique_ptr<Engine> engineOf(const Options& options);

/// Reads the arguments. When there is nothing left to do (help, version, a usage error, all of which it has
/// printed) it returns the exit code.
std::optional<int> parseOptions(int argc, const char* const* argv, Options& options);

}  // namespace opscope::cli
