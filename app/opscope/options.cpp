// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>

#include "exit_codes.h"
#include "session_options.h"
#include "stats/block_comparison.h"
#include "suite_options.h"
#include "trace_options.h"

namespace opscope::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0    measured\n"
    "  1    an error of Opscope itself\n"
    "  2    the command line is wrong\n"
    "  3    failed closed: the measurement failed, and there is no number\n"
    "  4    no such device, or it cannot be used\n"
    "  5    bad input: an unknown op, workload, dtype or implementation, or a shape that does not fit\n"
    "  6    an implementation computes a wrong result\n"
    "  7    a file could not be read or written\n"
    "  8    the engine died\n"
    "  9    slower, where --fail-if-slower was asked for\n"
    "  130  interrupted; the passes that had finished were reported\n"
    "When several implementations fail, the first failure decides; in a suite, the worst.\n";

// Longer than what an op is measured with: clocks under load are part of what is asked.
constexpr double kCeilingWarmupMs = 200;
constexpr double kCeilingMeasureMs = 500;

/// What CLI11 fills in before it becomes a Job.
struct RawJob {
  std::vector<std::string> implementations;
  std::vector<std::string> dimensions;
  std::string l2 = "clean";
  std::vector<std::string> controls;
  std::optional<std::uint32_t> iterations;
  double warmupMs = 25;
  double measureMs = 100;
  double bufferKb = 256;
  double ceilingWarmupMs = kCeilingWarmupMs;
  double ceilingMeasureMs = kCeilingMeasureMs;
  std::uint32_t blocks = 1;
  // A/A is about the blocks: more of them narrow the interval, and with it the floor.
  std::uint32_t noiseBlocks = 12;
  std::optional<double> settleMs;
  double stallSeconds = 120;
  std::string baseline;                // compare: an implementation or a session
  std::vector<std::string> threshold;  // of --fail-if-slower, where it was given one
  bool insist = false;
  bool noVerify = false;
  bool noTelemetry = false;
};

std::string checkDimension(const std::string& text) {
  const auto equals = text.find('=');
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const bool digits = !value.empty() &&
                      value.find_first_not_of("0123456789", value[0] == '-' ? 1 : 0) == std::string::npos &&
                      value != "-";
  if (equals == 0 || !digits || value.size() > 18)
    return fmt::format("'{}' is not NAME=VALUE with a whole number, as in M=512", text);
  return {};
}

void addOutputs(CLI::App& app, OutputOptions& outputs) {
  app.add_option(
         "--csv", outputs.csv,
         "Write the summary into a FILE.csv ('-': standard output), or summary, samples, kernels and gaps "
         "into a folder")
      ->type_name("FILE|DIR");
  app.add_option("--json", outputs.json, "Write everything but raw records as JSON ('-': standard output)")
      ->type_name("FILE|-");
  app.add_option("--markdown", outputs.markdown, "Write the table for a pull request ('-': standard output)")
      ->type_name("FILE|-");
}

void addOps(CLI::App& app, Options& options) {
  app.add_option("--ops", options.opFolders,
                 "A folder with ops of your own (*.yaml, and plugins: *.so), beside the built-in ones")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->expected(1);
}

void addEngine(CLI::App& app, Options& options, RawJob& raw) {
  app.add_option(
         "--engine", options.engine,
         "Where it is measured: local (in this program), process (in a program of its own, which may die), "
         "or a command that leads to an engine, as in 'ssh gpu-box opscope serve'")
      ->type_name("ENGINE")
      ->capture_default_str();
  app.add_option("--stall-limit", raw.stallSeconds,
                 "Seconds without progress after which an engine of its own is ended; 0: never")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
}

void addProblem(CLI::App& app, Options& options, RawJob& raw) {
  Job& job = options.job;
  app.add_option("--op", job.op, "The op to measure (see `opscope list`)");
  app.add_option("--workload", job.workload, "Its shapes; the op's first when left out");
  app.add_option("--impl", raw.implementations,
                 "Implementations, repeated or with commas; all that the device can "
                 "run when left out")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app.add_option("--dtype", job.dtype, "float32, float16, bfloat16, ...; the workload's first when left out");
  app.add_option("--dim", raw.dimensions, "Replace a dimension of the workload, as in --dim M=512")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all()
      ->check(CLI::Validator(checkDimension, "", ""));
}

void addProtocol(CLI::App& app, Options& options, RawJob& raw) {
  Job& job = options.job;
  app.add_option("--device", job.device, "auto, host, cuda:0, ... or a device's UUID")->capture_default_str();
  app.add_option(
         "--l2", raw.l2,
         "The caches before each iteration: clean (evicted by reading), zero (evicted by writing zeros), "
         "warm (left alone) or rotate (the call takes another copy of its tensors each time)")
      ->check(CLI::IsMember({"clean", "zero", "warm", "rotate"}))
      ->capture_default_str();
  app.add_option("--iterations", raw.iterations,
                 "Timed iterations per implementation and block, instead of a budget")
      ->check(CLI::Range(1u, 10'000'000u));
  app.add_option("--warmup-ms", raw.warmupMs, "Budget of the warm-up per implementation")
      ->check(CLI::Range(0.0, 3.6e6))
      ->capture_default_str();
  app.add_option("--measure-ms", raw.measureMs, "Budget of the measurement per implementation")
      ->check(CLI::Range(0.0, 3.6e6))
      ->capture_default_str();
  app.add_option("--buffer-kb", raw.bufferKb,
                 "Size of a record buffer in KiB; grows by itself when records are lost")
      ->check(CLI::Range(0.0009765625, 1048576.0))
      ->capture_default_str();
  app.add_option(
         "--settle-ms", raw.settleMs,
         "Limit of the phase before the first block in which clock and times become flat; 0: none. 3000 "
         "from 4 blocks on, else none, when left out")
      ->check(CLI::Range(0.0, 3.6e6));
  app.add_option("--seed", job.seed, "Of the random inputs; a fresh one, which is printed, when left out");
  CLI::Option* insist =
      app.add_flag("--insist", raw.insist, "Measure a wrong result all the same, and mark it");
  app.add_flag("--no-verify", raw.noVerify, "Do not check results against the reference")->excludes(insist);
  app.add_flag("--no-telemetry", raw.noTelemetry, "Do not read the device's sensors during passes");
  app.add_flag(
      "--counters", job.counters,
      "Count the bytes that DRAM and L2 move, after the timed passes and apart from them (GPUs; needs the "
      "permission that Nsight Compute needs)");
}

void addMeasuring(CLI::App& app, Options& options, RawJob& raw) {
  addProblem(app, options, raw);
  addProtocol(app, options, raw);
  app.add_option("--session", options.outputs.session,
                 "Keep everything, raw records included unless --records says otherwise, in a session file, "
                 "each pass as it ends; added to the runs that it has")
      ->type_name("FILE");
  addRecords(app, options.outputs);
  addOutputs(app, options.outputs);
  addOps(app, options);
  addEngine(app, options, raw);
  app.add_flag("--quiet,-q", options.quiet, "Print results and errors only");
}

void addControls(CLI::App& app, RawJob& raw) {
  app.add_option("--control", raw.controls,
                 "An experiment beside the passes, repeated or with commas: prequeued (which gaps remain "
                 "when the whole call is queued ahead) or tracing (what recording costs)")
      ->check(CLI::IsMember({"prequeued", "tracing"}))
      ->delimiter(',')
      ->expected(1)
      ->take_all();
}

void addBlocks(CLI::App& app, std::uint32_t& blocks, std::uint32_t fewest) {
  app.add_option("--blocks", blocks,
                 "Mirrored rounds of passes, each with the full budget; a verdict needs at least 4")
      ->check(CLI::Range(fewest, 10'000u))
      ->capture_default_str();
}

// Enough blocks for a verdict of up to three implementations, and of six: a gate without one never fails.
constexpr std::uint32_t kGateBlocks = 6;

void addGate(CLI::App& app, RawJob& raw) {
  app.add_option("--baseline", raw.baseline,
                 "What is compared with: an implementation (the first when left out), or an earlier session, "
                 "which a '/' or .opscope in its name tells")
      ->type_name("NAME|SESSION");
  app.add_option("--fail-if-slower", raw.threshold,
                 "End with 9 when anything is slower than the baseline by more than THRESHOLD and than what "
                 "the device's noise makes; never when that is undecided. Takes 6 blocks unless told")
      ->type_name("[THRESHOLD%]")
      ->expected(0, 1)
      ->check(CLI::Validator(checkShare, "", ""));
}

// No implementation has a '/' in its name.
void fillGate(const CLI::App& compare, const RawJob& raw, Options& options) {
  if (raw.baseline.find('/') != std::string::npos || raw.baseline.ends_with(".opscope"))
    options.gate.baseline = raw.baseline;
  else
    options.job.baseline = raw.baseline;
  options.gate.failIfSlower = compare.count("--fail-if-slower") > 0;
  if (!raw.threshold.empty()) options.gate.threshold = shareOf(raw.threshold.front());
  if (options.gate.failIfSlower && compare.count("--blocks") == 0) options.job.protocol.blocks = kGateBlocks;
}

void addLaunch(CLI::App& app, Options& options, RawJob& raw) {
  addProblem(app, options, raw);
  app.get_option("--op")->required();
  app.get_option("--impl")->required();
  app.add_option("--device", options.job.device, "auto, host, cuda:0, ... or a device's UUID")
      ->capture_default_str();
  app.add_option("--seed", options.job.seed, "Of the random inputs; a fresh one when left out");
  app.add_option("--warmups", options.launch.warmups, "Calls before those that a profiler sees")
      ->check(CLI::Range(0u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--calls", options.launch.calls, "Calls that a profiler sees")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  addOps(app, options);
  app.add_flag("--quiet,-q", options.quiet, "Print errors only");
}

void addCeilings(CLI::App& app, Options& options, RawJob& raw) {
  app.add_option("--device", options.job.device, "auto, host, cuda:0, ... or a device's UUID")
      ->capture_default_str();
  app.add_option("--warmup-ms", raw.ceilingWarmupMs, "Budget of the warm-up per implementation")
      ->check(CLI::Range(0.0, 3.6e6))
      ->capture_default_str();
  app.add_option("--measure-ms", raw.ceilingMeasureMs, "Budget of the measurement per implementation")
      ->check(CLI::Range(0.0, 3.6e6))
      ->capture_default_str();
  app.add_option("--session", options.outputs.session, "Keep the probes' runs in a session file")
      ->type_name("FILE");
  addRecords(app, options.outputs);
  addOutputs(app, options.outputs);
  addEngine(app, options, raw);
  app.add_flag("--quiet,-q", options.quiet, "Print results and errors only");
}

Ns milliseconds(double value) {
  return static_cast<Ns>(value * static_cast<double>(kMillisecond));
}

void fillJob(const RawJob& raw, Job& job) {
  job.implementations = raw.implementations;
  for (const std::string& text : raw.dimensions) {
    const auto equals = text.find('=');
    job.dims[text.substr(0, equals)] = std::stoll(text.substr(equals + 1));
  }
  job.protocol.l2 = l2ModeFromName(raw.l2).value_or(L2Mode::Clean);
  for (const std::string& control : raw.controls)
    (control == "tracing" ? job.controls.tracing : job.controls.prequeued) = true;
  job.protocol.iterations = raw.iterations;
  job.protocol.warmupBudget = milliseconds(raw.warmupMs);
  job.protocol.measureBudget = milliseconds(raw.measureMs);
  if (raw.settleMs) job.protocol.settleLimit = milliseconds(*raw.settleMs);
  job.protocol.bufferBytes = static_cast<std::int64_t>(raw.bufferKb * 1024);
  job.protocol.telemetry = !raw.noTelemetry;
  if (raw.insist) job.wrongResults = WrongResults::Measure;
  if (raw.noVerify) job.wrongResults = WrongResults::DoNotCheck;
}

int reportParseError(const CLI::App& app, const CLI::App* command, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    app.exit(error, std::cout, std::cerr);  // help and version
    return 0;
  }
  const std::string name = command == nullptr ? "opscope" : "opscope " + command->get_name();
  fmt::print(stderr, "opscope: {}\nSee `{} --help`.\n", error.what(), name);
  return kUsageError;
}

}  // namespace

std::optional<int> parseOptions(int argc, const char* const* argv, Options& options) {
  CLI::App app("Opscope measures GPU ops and says why they are slow.", "opscope");
  app.set_version_flag("--version", std::string("opscope ") + OPSCOPE_VERSION);
  app.require_subcommand(1);
  app.footer(kExitCodes);
  RawJob raw;

  CLI::App* list = app.add_subcommand("list", "Ops, workloads, implementations and devices");
  list->add_option("--device", options.deviceFilter, "Only what runs on this device");
  addOps(*list, options);
  addEngine(*list, options, raw);
  CLI::App* run =
      app.add_subcommand("run", "Measure implementations one after the other, each with a full budget");
  addMeasuring(*run, options, raw);
  run->get_option("--op")->required();
  addBlocks(*run, raw.blocks, 1);
  addControls(*run, raw);
  CLI::App* compare =
      app.add_subcommand("compare", "Measure implementations against each other, in passes A B C C B A");
  addMeasuring(*compare, options, raw);
  compare->get_option("--op")->required();
  addBlocks(*compare, raw.blocks, 1);
  addControls(*compare, raw);
  addGate(*compare, raw);
  CLI::App* methods = app.add_subcommand(
      "methods", "Measure as `run` does, and time the same calls in the ways of other tools beside it");
  addMeasuring(*methods, options, raw);
  methods->get_option("--op")->required();
  addBlocks(*methods, raw.blocks, 1);
  CLI::App* launch = app.add_subcommand(
      "launch", "Issue a call and record nothing: for a profiler around this program (ncu, nsys)");
  addLaunch(*launch, options, raw);
  CLI::App* noise = app.add_subcommand(
      "noise", "Measure implementations against themselves, and keep how far apart a device makes them seem");
  addMeasuring(*noise, options, raw);
  addBlocks(*noise, raw.noiseBlocks, kBlocksForInterval);
  CLI::App* suite = app.add_subcommand(
      "suite", "Measure the whole catalogue, or a list of jobs, into one session; goes on where it stopped");
  addSuite(*suite, options);
  addProtocol(*suite, options, raw);
  addBlocks(*suite, raw.blocks, 1);
  addControls(*suite, raw);
  addOps(*suite, options);
  addEngine(*suite, options, raw);
  suite->add_flag("--quiet,-q", options.quiet, "Print results and errors only");
  CLI::App* sweep = app.add_subcommand("sweep", "Measure an op over the sizes of one dimension");
  addProblem(*sweep, options, raw);
  sweep->get_option("--op")->required();
  addSweep(*sweep, options);
  addProtocol(*sweep, options, raw);
  addBlocks(*sweep, raw.blocks, 1);
  addControls(*sweep, raw);
  addOps(*sweep, options);
  addEngine(*sweep, options, raw);
  sweep->add_flag("--quiet,-q", options.quiet, "Print results and errors only");
  CLI::App* merge = app.add_subcommand("merge", "Join the sessions of shards, or any others, into one");
  addMerge(*merge, options);
  CLI::App* diff =
      app.add_subcommand("diff", "What became of every op and implementation from one session to another");
  addDiff(*diff, options);
  CLI::App* history =
      app.add_subcommand("history", "Busy of every op and implementation over several sessions");
  addHistory(*history, options);
  CLI::App* vacuum = app.add_subcommand("vacuum", "Make a session file smaller");
  addVacuum(*vacuum, options);
  CLI::App* note = app.add_subcommand("note", "Say something of a run in a session");
  addNote(*note, options);
  CLI::App* importing = app.add_subcommand(
      "import", "Make a session of traces that another program recorded (PyTorch profiler, Nsight Systems)");
  addImport(*importing, options);
  CLI::App* gaps = app.add_subcommand(
      "gaps",
      "Why the device was idle in a trace that another program recorded: union, gaps and their causes");
  addGaps(*gaps, options);
  CLI::App* ceilings = app.add_subcommand(
      "ceilings",
      "Measure how fast a device copies and multiplies matrices, and keep what efficiency is a share of");
  addCeilings(*ceilings, options, raw);
  CLI::App* doctor =
      app.add_subcommand("doctor", "Which devices can be used here, and what is missing for the others");
  addOps(*doctor, options);
  addEngine(*doctor, options, raw);
  CLI::App* serve = app.add_subcommand(
      "serve", "Be the engine of another Opscope: speaks its protocol on standard input and output");
  addOps(*serve, options);
  CLI::App* show = app.add_subcommand("show", "Print the runs of a session file, or write them out again");
  show->add_option("session", options.session, "The session file")->required()->type_name("SESSION");
  show->add_option("--baseline", options.baseline,
                   "Compare with this implementation; as it was measured when left out");
  addOutputs(*show, options.outputs);
  show->add_flag("--quiet,-q", options.quiet, "Print results and errors only");
  CLI::App* exporting = app.add_subcommand(
      "export", "Write a session in other formats: Chrome trace, CSV, HTML, JSON, Markdown");
  addExport(*exporting, options);
  addOutputs(*exporting, options.outputs);
  CLI::App* newOp = app.add_subcommand("new-op", "Write the files of an op of your own, to begin with");
  newOp->add_option("name", options.newOp.name, "What it is called")->required()->type_name("NAME");
  newOp->add_option("folder", options.newOp.folder, "Where its files go; made when it is not there")
      ->required()
      ->type_name("DIR");
  const std::vector<std::pair<CLI::App*, Command>> commands{
      {list, Command::List},         {run, Command::Run},          {compare, Command::Compare},
      {methods, Command::Methods},   {launch, Command::Launch},    {noise, Command::Noise},
      {ceilings, Command::Ceilings}, {suite, Command::Suite},      {sweep, Command::Sweep},
      {merge, Command::Merge},       {diff, Command::Diff},        {history, Command::History},
      {vacuum, Command::Vacuum},     {importing, Command::Import}, {gaps, Command::Gaps},
      {exporting, Command::Export},  {doctor, Command::Doctor},    {show, Command::Show},
      {serve, Command::Serve},       {newOp, Command::NewOp},      {note, Command::Note}};
  for (const auto& [command, id] : commands) command->footer(kExitCodes);

  const CLI::App* chosen = nullptr;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    for (const auto& [command, id] : commands)
      if (command->parsed() || command->count() > 0) chosen = command;
    return reportParseError(app, chosen, error);
  }
  for (const auto& [command, id] : commands)
    if (command->parsed()) options.command = id;
  fillJob(raw, options.job);
  if (options.command == Command::Ceilings) {
    options.job.protocol.warmupBudget = milliseconds(raw.ceilingWarmupMs);
    options.job.protocol.measureBudget = milliseconds(raw.ceilingMeasureMs);
  }
  options.job.methods = options.command == Command::Methods;
  options.job.protocol.blocks = options.command == Command::Noise ? raw.noiseBlocks : raw.blocks;
  fillGate(*compare, raw, options);
  options.limits.still = std::chrono::milliseconds(static_cast<std::int64_t>(raw.stallSeconds * 1000));
  return std::nullopt;
}

std::unique_ptr<Engine> engineOf(const Options& options) {
  return makeEngine(options.engine, {.opFolders = options.opFolders}, options.limits);
}

}  // namespace opscope::cli
