// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "import/byte_source.h"
#include "import/imported_trace.h"

namespace opscope {

struct ImportProgress {
  std::uint64_t bytesRead = 0;  ///< as stored: of a compressed file the compressed ones
  std::uint64_t bytesTotal = 0;
  std::uint64_t events = 0;
};

struct ImportOptions {
  /// Which annotations are the iterations: those of this name, or, where it ends in '#', those whose name
  /// goes on with a number.
  std::string iterations = "ProfilerStep#";
  std::function<void(const ImportProgress&)> progress;  ///< called often, on the calling thread
  std::stop_token stop;
};

/// Whether a file begins like a trace: JSON, something compressed by gzip, or a database that is no session.
/// False for what cannot be read.
bool looksLikeTrace(const std::filesystem::path& file);

/// Reads a trace of the PyTorch profiler (Kineto's Chrome trace JSON, .json or .json.gz, in its old and new
/// spellings). Instants and durations are taken from their decimal digits, exactly. Kernels are joined with
/// the launch record that carries their correlation id, and belong to the iteration in which they were
/// launched. Memory: what is recorded, not the text. Any thread. A file may also be an export of Nsight
/// Systems (nsight_reader.h), of which errors name table and row.
///
/// Throws CannotRead (missing, not readable), BadInput (no JSON, no trace, truncated, a value of the wrong
/// type; each with the byte offset in the decompressed text) and Cancelled.
ImportedTrace importTrace(const std::filesystem::path& file, const ImportOptions& options = {});
ImportedTrace importTrace(ByteSource& source, const ImportOptions& options = {});

}  // namespace opscope
