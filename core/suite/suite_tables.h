// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/summary_rows.h"
#include "suite/run_suite.h"

namespace opscope {

/// The columns that every table of rows ends with, and a row's cells in them: busy, latency, kernels, idle,
/// host-late, rates, result. A row without a number has one cell, which says why.
std::vector<std::string> numberColumns(bool efficiency);
std::vector<std::string> numberCells(const SuiteRow& row, bool efficiency);
/// Whether any row has one: the column is there, or not at all.
bool hasEfficiency(const std::vector<SuiteRow>& rows);

/// "GPU figures of NVIDIA H200, method cupti, L2 clean": the numbers mean nothing without.
std::string figuresText(const std::vector<SuiteRow>& rows);

/// Every row, then the slowest, those that lose most to a late host, and what has no number with its reason.
std::vector<FurtherTable> suiteTables(const SuiteResult& result);

/// "41 of 43 implementations measured in 20 jobs, 1 failed, 1 not supported; 12 jobs were in the session
/// before." and, where it is so, that it was interrupted, and what was left out.
std::vector<std::string> suiteSentences(const SuiteResult& result, const std::vector<std::string>& leftOut);

/// RFC 4180, CRLF, integer ns: one line per row, with its failure where it has no number.
/// `first`: a column before all others, its name and a cell for each row; none when left out.
std::string suiteCsv(const std::vector<SuiteRow>& rows, const std::string& first = {},
                     const std::vector<std::string>& firstCells = {});

}  // namespace opscope
