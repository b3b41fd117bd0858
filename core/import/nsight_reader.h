// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "import/import_trace.h"

namespace opscope {

/// Whether a file begins like a SQLite database that is no session of ours.
bool looksLikeNsight(const std::filesystem::path& file);

/// An export of Nsight Systems (`nsys export --type sqlite`): kernels, copies, fills, API calls, NVTX ranges
/// of the host and the profiler's own overhead. Correlation ids of several processes are told apart. Any
/// thread. Throws CannotRead (not readable, no database), BadInput (no export, a row that cannot be) and
/// Cancelled.
ImportedTrace importNsight(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace opscope
