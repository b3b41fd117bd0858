// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace CLI {
class App;
}

namespace opscope::cli {

/// How much a session keeps, and what it says beside it: --records, --note.
void addRecords(CLI::App& app, OutputOptions& outputs);
/// All that `merge` has.
void addMerge(CLI::App& app, Options& options);
/// All that `diff` has.
void addDiff(CLI::App& app, Options& options);
/// All that `vacuum` has.
void addVacuum(CLI::App& app, Options& options);
/// All that `note` has.
void addNote(CLI::App& app, Options& options);
/// All that `history` has.
void addHistory(CLI::App& app, Options& options);

/// A share of "5" or "5%"; absent for what is none.
std::optional<double> shareOf(const std::string& text);
/// What is wrong with a share, in a sentence; empty when nothing is.
std::string checkShare(const std::string& text);

}  // namespace opscope::cli
