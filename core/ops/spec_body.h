// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "ops/op_spec.h"
#include "ops/yaml_tree.h"

namespace opscope {

/// Reads one entry of `implementations`. `op` has its file, tensors, params, dims and dtypes already; `names`
/// is what expressions may use. Throws BadInput.
ImplementationSpec readImplementation(const std::string& name, const Place& place, const YamlTree& tree,
                                      const OpSpec& op, const std::set<std::string>& names);

}  // namespace opscope
