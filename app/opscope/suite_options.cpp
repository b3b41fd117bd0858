// SPDX-License-Identifier: Apache-2.0
#include "suite_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "session_options.h"

namespace opscope::cli {
namespace {

void addReport(CLI::App& app, OutputOptions& outputs) {
  app.add_option("--csv", outputs.csv, "Write a line per row ('-': standard output)")
      ->type_name("FILE|DIR|-");
  app.add_option("--markdown", outputs.markdown, "Write the tables for a pull request ('-': standard output)")
      ->type_name("FILE|-");
}

}  // namespace

void addSuite(CLI::App& app, Options& options) {
  SuiteOptions& suite = options.suite;
  app.add_option("--filter", suite.request.filters,
                 "Only what this names, repeated or with commas: a part of op/workload/dtype, a family, or a "
                 "glob over one of them")
      ->type_name("TEXT")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app.add_option_function<std::string>(
         "--workloads",
         [&suite](const std::string& name) { suite.request.workloads = workloadChoiceFromName(name); },
         "large, tiny (which verify) or all; large on a GPU and tiny on the host when left out")
      ->check(CLI::IsMember({"large", "tiny", "all"}));
  app.add_option_function<std::string>(
         "--shard",
         [&suite](const std::string& text) {
           const auto shard = shardFromText(text);
           if (!shard)
             throw CLI::ValidationError("--shard",
                                        fmt::format("'{}' is not I/N with I from 1 to N, as in 2/8", text));
           suite.request.shard = *shard;
         },
         "Only the I-th of N disjoint parts, which together are everything")
      ->type_name("I/N");
  app.add_option("--jobs", suite.jobs, "A list of jobs in YAML instead of the catalogue")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  app.add_option("--out,--session", options.outputs.session,
                 "The session file, which is added to: what it has is not measured again. suite.opscope, or "
                 "suite-I-of-N.opscope, when left out")
      ->type_name("FILE");
  addRecords(app, options.outputs);
  app.add_flag("--retry-failed", suite.retryFailed, "Measure again what failed before");
  auto* baseline = app.add_option("--baseline", suite.baseline,
                                  "An earlier session: what each row has become since, other kernels first")
                       ->type_name("SESSION")
                       ->check(CLI::ExistingFile);
  app.add_flag(
         "--fail-if-slower", suite.failIfSlower,
         "End with 9 when a row is slower than in --baseline, or has lost its number; never when that is "
         "undecided")
      ->needs(baseline);
  addReport(app, options.outputs);
}

void addSweep(CLI::App& app, Options& options) {
  app.add_option_function<std::string>(
         "--axis",
         [&options](const std::string& text) {
           try {
             options.axis = parseAxis(text);
           } catch (const BadInput& error) {
             throw CLI::ValidationError("--axis", error.what());
           }
         },
         "One dimension and its sizes: M=128:8192:2x, M=128:1024:+128 or M=64,100,3000")
      ->type_name("NAME=SIZES")
      ->required();
  app.add_option("--session,--out", options.outputs.session,
                 "Keep a run per size in a session file; added to the runs that it has")
      ->type_name("FILE");
  addRecords(app, options.outputs);
  addReport(app, options.outputs);
}

}  // namespace opscope::cli
