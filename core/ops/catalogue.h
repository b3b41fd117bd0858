// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
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

  const std::vector<OpSpec>& ops() const { return ops_; }
  const std::vector<ErrorInfo>& problems() const { return problems_; }
  const OpSpec& op(const std::string& name) const;  ///< throws UnknownName, offering near names

 private:
  std::vector<OpSpec> ops_;
  std::vector<ErrorInfo> problems_;
};

}  // namespace opscope
