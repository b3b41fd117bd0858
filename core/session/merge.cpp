// SPDX-License-Identifier: Apache-2.0
#include "session/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "session/session_file.h"
#include "session/session_reader.h"
#include "session/store.h"
#include "session/summary_rows.h"
#include "session/text_file.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

// No device measures two runs at once, and no two runs draw the same inputs in the same nanosecond. When it
// ended is part of it: the copy of a session may hold the beginning of a run whose end is in another.
std::string identityOf(const Run& run) {
  const auto uuid = run.environment.find("device uuid");
  std::string text = fmt::format(
      "{}|{}|{}|{}|{}|{}|{}|{}|{}", run.op, run.workload, run.dtype, dimensionsText(run), run.deviceName,
      uuid == run.environment.end() ? "" : uuid->second, run.seed, run.startedUnixNs, run.finishedUnixNs);
  for (const ImplementationResult& result : run.implementations) text += "|" + result.name;
  return text;
}

void requirePlaceFor(const fs::path& out, const std::vector<fs::path>& inputs) {
  std::error_code error;
  if (!fs::exists(out, error)) {
    checkWritable(out);
    return;
  }
  const bool isInput = std::any_of(inputs.begin(), inputs.end(),
                                   [&](const fs::path& input) { return fs::equivalent(input, out, error); });
  if (!isInput)
    throw CannotWrite(fmt::format("{} exists already, and what it holds would be lost", out.string()),
                      "Name another file, or name it among the sessions to merge as well.");
  requireReplaceable(out);
  checkWritable(out);
}

}  // namespace

MergedSessions mergeSessions(const fs::path& out, const std::vector<fs::path>& inputs) {
  requirePlaceFor(out, inputs);
  for (const fs::path& input : inputs) requireSessionFile(input);  // before an hour's work on the others
  const TemporaryFile temporary(out);
  MergedSessions merged;
  std::set<std::string> seen;
  SessionWriter writer(temporary.path());
  for (const fs::path& input : inputs) {
    SessionReader session(input);
    for (const std::int64_t row : session.rows()) {
      const auto run = session.read(row);  // one at a time is in memory
      if (!seen.insert(identityOf(*run)).second) {
        ++merged.duplicates;
        continue;
      }
      writer.addRun(*run);
      ++merged.runs;
    }
  }
  writer.close();
  temporary.sync();
  temporary.replace(out);
  return merged;
}

}  // namespace opscope
