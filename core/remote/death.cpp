// SPDX-License-Identifier: Apache-2.0
#include "remote/death.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

namespace opscope::remote {
namespace {

struct Advice {
  std::string_view said;
  std::string_view remedy;
};

// What ssh, shells and launchers write when they cannot reach an engine.
constexpr std::array kAdvice{
    Advice{"Permission denied", "Log in with a key (ssh-copy-id HOST): an engine cannot ask for a password."},
    Advice{"Host key verification failed", "Log in there once by hand, so that the host is known."},
    Advice{"Could not resolve hostname", "Check the name of the host."},
    Advice{"Connection refused", "Check that the host can be reached and accepts connections."},
    Advice{"Connection timed out", "Check that the host can be reached."},
    Advice{"No route to host", "Check that the host can be reached."},
    Advice{"not found", "Install Opscope there, or give the full path of its program in the command."},
    Advice{"No such file", "Install Opscope there, or give the full path of its program in the command."},
};

std::string remedyFor(const Death& death) {
  for (const Advice& advice : kAdvice)
    if (!death.greeted && death.log.find(advice.said) != std::string::npos) return std::string(advice.remedy);
  if (!death.greeted && !death.stray.empty())
    return "The command must write nothing but the protocol to its output: look at what a login shell prints "
           "there.";
  if (!death.greeted) return "Run the command by hand: it must wait, and print nothing readable.";
  if (death.inJob) return "The engine is started again by itself; what had finished is kept.";
  return "The engine is started again when it is needed.";
}

}  // namespace

std::string whereOf(const Progress& progress) {
  std::string where = fmt::format(" in the phase \"{}\"", nameOf(progress.phase));
  if (!progress.implementation.empty()) where += " of " + progress.implementation;
  if (progress.pass > 0) where += fmt::format(", pass {} of {}", progress.pass, progress.passes);
  if (progress.iterations > 0)
    where += fmt::format(", iteration {} of {}", progress.iteration, progress.iterations);
  return where;
}

ErrorInfo describeDeath(const std::vector<std::string>& command, const Death& death) {
  std::string message = death.count > 1
                            ? fmt::format("{} engines in a row died of this job; the last one ", death.count)
                            : fmt::format("The engine `{}` ", fmt::join(command, " "));
  message += death.how;
  if (!death.greeted) message += " before it had said hello";
  if (death.inJob && death.greeted) message += whereOf(death.progress);
  if (!death.stray.empty()) message += fmt::format("; it wrote: {}", death.stray);
  if (!death.log.empty()) message += fmt::format(". Its last words: {}", death.log);
  return {ErrorCode::EngineDied, std::move(message), remedyFor(death), {}};
}

}  // namespace opscope::remote
