// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>

#include "session/run.h"
#include "state/pass_indexes.h"

namespace opscope::ui {

/// How Nsight Compute profiles one kernel of a call.
struct NcuCommand {
  QString command;  ///< for a shell; empty where there is none
  QString whyNot;   ///< then the reason
};

/// `opscope launch` issues the same call on the same inputs and marks it for the profiler, so that the kernel
/// is found by its name and its place among the launches of that name in one call: what runs before the call
/// does not count. Pure.
NcuCommand ncuCommand(const Run& run, const PassIndex& index, std::uint32_t kernel);

/// A word of a shell's command line, quoted where it must be.
std::string shellWord(const std::string& word);

}  // namespace opscope::ui
