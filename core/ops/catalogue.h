// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ops/op_spec.h"

namespace opscope {

/// Reads every op of one YAML file. Throws CannotRead, or BadInput with file, line and column; never a
/// yaml-cpp type.
std::vector<OpSpec> readOps(const std::filesystem::path& file);
/// The same from text, for tests and fuzzing.
std::vector<OpSpec> parseOps(const std::string& text, const std::filesystem::path& file);

/// All ops there are to measure. A file that cannot be read costs only its own ops: `problems` says what is
/// missing.
class Catalogue {
 public:
  /// Reads all *.yaml of the folders and has all *.so (device/opscope_plugin.h) describe themselves, in name
  /// order. Only in a process that may load what it measures: the engine's. Later definitions of a name are a
  /// problem, not an override.
  static Catalogue load(const std::vector<std::filesystem::path>& folders);

  /// Whether the folders hold what they held: no spec or library was written, added or taken away since, and
  /// no kernel file came or went. Costs a look at each.
  bool isCurrent() const;

  const std::vector<OpSpec>& ops() const { return ops_; }
  const std::vector<ErrorInfo>& problems() const { return problems_; }
  const OpSpec& op(const std::string& name) const;  ///< throws UnknownName, offering near names

 private:
  /// What a file was when it was read. Of a kernel file it counts only whether it is there: every measurement
  /// reads it again.
  struct Stamp {
    std::filesystem::file_time_type written;
    std::uintmax_t bytes = 0;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::map<std::filesystem::path, Stamp>;
  static Stamps stampsOf(const std::vector<std::filesystem::path>& folders);

  std::vector<std::filesystem::path> folders_;
  Stamps stamps_;
  std::vector<OpSpec> ops_;
  std::vector<ErrorInfo> problems_;
};

}  // namespace opscope
