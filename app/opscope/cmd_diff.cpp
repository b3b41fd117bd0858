// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "commands.h"
#include "exit_codes.h"
#include "outputs.h"
#include "session/store.h"
#include "suite/diff.h"
#include "suite_host.h"

namespace opscope::cli {
namespace {

// FILE, or FILE#RUN where there is no file of that whole name.
Runs runsOf(const std::string& name) {
  const auto hash = name.rfind('#');
  std::error_code missing;
  if (hash == std::string::npos || std::filesystem::exists(name, missing)) return readSession(name).runs;
  std::size_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, error] = std::from_chars(name.data() + hash + 1, end, number);
  if (error != std::errc() || stopped != end || number == 0)
    throw BadInput(fmt::format("'{}' names no run: after '#' stands its number, counted from 1", name),
                   "`opscope show` lists the runs of a session in their order.");
  const std::string file = name.substr(0, hash);
  const Runs runs = readSession(file).runs;
  if (number > runs.size())
    throw BadInput(fmt::format("{} has no run {}: it has {}", file, number, runs.size()));
  return {runs[number - 1]};
}

}  // namespace

int diff(const Options& options) {
  const DiffOptions& asked = options.diff;
  Outputs outputs(options.outputs, options.quiet);
  const SessionDiff found =
      diffOf(asked.then, runsOf(asked.then), asked.now, runsOf(asked.now), asked.threshold);
  Report report = reportOf(diffTables(found), {diffSentence(found)}, {}, {});
  report.json = diffJson(found);
  outputs.write(report);
  if (outputs.failed()) return exitCodeOf(ErrorCode::CannotWrite);
  if (asked.failIfSlower && anySlower(found.rows)) return kSlower;
  return found.anyCompared() ? kMeasured : kBadInput;
}

}  // namespace opscope::cli
