// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cuda/kernel_source.h"

namespace opscope::cuda {

/// Compiled programs on disk, one file per key. Several processes may share the folder: files appear whole or
/// not at all, and a damaged one is as good as none. Never throws for the sake of the cache: a folder that
/// cannot be written costs compilations, and one line in the log.
class CubinCache {
 public:
  explicit CubinCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// opscope/cubin in $XDG_CACHE_HOME, else in ~/.cache; in the folder for temporary files when there is no
  /// home.
  static std::filesystem::path defaultFolder();

  std::optional<CompiledProgram> find(const std::string& key) const;
  /// False when it could not be written.
  bool store(const std::string& key, const CompiledProgram& program) const;
  std::filesystem::path fileOf(const std::string& key) const { return folder_ / (key + ".cubin"); }

 private:
  std::filesystem::path folder_;
};

}  // namespace opscope::cuda
