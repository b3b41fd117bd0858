// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op_spec.h"
#include "ops/yaml_tree.h"

namespace opscope {

/// A mapping of a spec, read strictly: made with the keys that it may have, it refuses any other. All
/// functions here throw BadInput with the place and what was expected.
class Fields {
 public:
  /// `what` names the mapping in messages: "the op rms_norm".
  Fields(const YamlTree& tree, std::string what, const std::vector<std::string>& allowed);
  const YamlTree& required(std::string_view key) const;
  const YamlTree* optional(std::string_view key) const;  ///< null when absent

 private:
  const YamlTree& tree_;
  std::string what_;
};

/// Throws unless the node is of this kind. `expected` finishes "Expected ...".
void expectKind(const YamlTree& tree, YamlTree::Kind kind, const std::string& expected);

std::string readText(const YamlTree& tree, const std::string& expected);
bool readBool(const YamlTree& tree);
std::int64_t readInteger(const YamlTree& tree, std::int64_t low, std::int64_t high);
double readNumber(const YamlTree& tree);
DType readDType(const YamlTree& tree);
/// A list of dtypes, not empty, none twice, all of `allowed` unless that is empty.
std::vector<DType> readDTypes(const YamlTree& tree, const std::vector<DType>& allowed);
/// An expression whose syntax is right and that uses only `names` (unless null).
Expression readExpression(const YamlTree& tree, const std::set<std::string>* names);
/// One expression or a list of `atLeast` to `atMost`.
std::vector<Expression> readExpressions(const YamlTree& tree, const std::set<std::string>* names,
                                        std::size_t atLeast, std::size_t atMost);

/// A tensor, dimension or parameter: an identifier that is not one of the words expressions know.
void checkIdentifier(const std::string& name, const Place& place);
/// An op, workload or implementation: letters, digits and _ - . so that it fits a command line and a file.
void checkLabel(const std::string& name, const Place& place);

/// One entry of inputs, outputs or scratch; `names` as in readExpression.
TensorSpec readTensor(const std::string& name, const Place& place, const YamlTree& tree, bool input,
                      bool output, const std::set<std::string>* names);

}  // namespace opscope
