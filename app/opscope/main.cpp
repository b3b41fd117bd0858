// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <csignal>

#include "commands.h"
#include "engine/prepare_process.h"
#include "exit_codes.h"

namespace {

int dispatch(const opscope::cli::Options& options) {
  using opscope::cli::Command;
  switch (options.command) {
    case Command::List:
      return opscope::cli::list(options);
    case Command::Run:
    case Command::Compare:
    case Command::Methods:
      return opscope::cli::measure(options);
    case Command::Launch:
      return opscope::cli::launch(options);
    case Command::Noise:
      return opscope::cli::noise(options);
    case Command::Suite:
      return opscope::cli::suite(options);
    case Command::Sweep:
      return opscope::cli::sweep(options);
    case Command::Merge:
      return opscope::cli::merge(options);
    case Command::Diff:
      return opscope::cli::diff(options);
    case Command::History:
      return opscope::cli::history(options);
    case Command::Vacuum:
      return opscope::cli::vacuum(options);
    case Command::Note:
      return opscope::cli::note(options);
    case Command::Import:
      return opscope::cli::importTraces(options);
    case Command::Gaps:
      return opscope::cli::gaps(options);
    case Command::Export:
      return opscope::cli::exportSession(options);
    case Command::Ceilings:
      return opscope::cli::ceilings(options);
    case Command::Doctor:
      return opscope::cli::doctor(options);
    case Command::Show:
      return opscope::cli::show(options);
    case Command::Serve:
      return opscope::cli::serve(options);
    case Command::NewOp:
      return opscope::cli::newOp(options);
    case Command::None:
      break;
  }
  return opscope::cli::kUsageError;
}

}  // namespace

int main(int argc, char** argv) {
  // A limit on the size of files is a full disk, which is said; it must not end the program.
  std::signal(SIGXFSZ, SIG_IGN);
  opscope::prepareProcess();
  try {
    opscope::cli::Options options;
    if (const auto done = opscope::cli::parseOptions(argc, argv, options)) return *done;
    return dispatch(options);
  } catch (...) {
    const opscope::ErrorInfo error = opscope::currentErrorInfo();
    fmt::print(stderr, "opscope: {}: {}\n", opscope::nameOf(error.code), opscope::describe(error));
    return opscope::exitCodeOf(error.code);
  }
}
