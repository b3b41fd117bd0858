// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

using Runs = std::vector<std::shared_ptr<const Run>>;

// Text of each format; times in integer ns, in the C locale, each with method, L2 mode, device, clocks and
// versions.

/// RFC 4180, CRLF. One row per implementation: the numbers a table shows, or the failure.
std::string summaryCsv(const Runs& runs);
/// One row per iteration: op, workload, dtype, implementation, block, pass, position, iteration, busy_ns,
/// latency_ns, gap_ns, n_kernels.
std::string samplesCsv(const Runs& runs);
/// One row per kernel of every iteration.
std::string kernelsCsv(const Runs& runs);
/// One row per gap, with parts and cause.
std::string gapsCsv(const Runs& runs);
/// One row per pass: its medians, what the sensors said of it and who else used the device.
std::string passesCsv(const Runs& runs);
/// One row per reading of the sensors.
std::string telemetryCsv(const Runs& runs);
/// One row per implementation against the baseline of its run; nothing of a run that compares nothing. Drift
/// is in logs per pass (0.001 is +0.1 %), `block_ratios` "0:1.012 1:1.009 ...".
std::string comparisonCsv(const Runs& runs);
/// One row per counted kernel of every counted call, or why nothing was counted; empty when no run was asked
/// to.
std::string countersCsv(const Runs& runs);
/// One row per gap of a call's pre-queued comparison, and its totals; empty when no run has one.
std::string prequeuedCsv(const Runs& runs);
/// One row per method and implementation; empty when no run has any.
std::string methodsCsv(const Runs& runs);
/// Everything but raw records.
std::string runsJson(const Runs& runs);
/// A table for a pull request.
std::string runsMarkdown(const Runs& runs);
/// A table for a terminal.
std::string runsTable(const Runs& runs);

/// Writes summary.csv, samples.csv, kernels.csv, gaps.csv, comparison.csv, passes.csv and telemetry.csv into
/// a folder (samples, kernels and gaps where any run kept them), and counters.csv, prequeued.csv and
/// methods.csv where there is something to write; returns their paths. Throws CannotWrite.
std::vector<std::filesystem::path> writeCsvSet(const std::filesystem::path& folder, const Runs& runs);
/// Writes a text file whole or not at all. Throws CannotWrite.
void writeTextFile(const std::filesystem::path& file, const std::string& text);

}  // namespace opscope
