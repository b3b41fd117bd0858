// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"
#include "session/session_file.h"
#include "session/session_reader.h"
#include "session/store.h"

namespace opscope::cli {

int note(const Options& options) {
  requireSessionFile(options.session);  // a writer would make one
  SessionWriter writer(options.session);
  const std::vector<std::int64_t> rows = SessionReader(options.session).rows();
  const std::size_t number = options.note.run == 0 ? rows.size() : options.note.run;
  if (number == 0 || number > rows.size())
    throw BadInput(fmt::format("{} has no run {}: it has {}", options.session.string(),
                               number == 0 ? 1 : number, rows.size()),
                   "`opscope show` lists the runs of a session in their order.");
  writer.setNote(rows[number - 1], options.note.text);
  writer.close();
  return kMeasured;
}

}  // namespace opscope::cli
