// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opscope {

/// What a row of a suite can be named by.
struct RowName {
  std::string op;
  std::string family;
  std::string workload;
  std::string dtype;
  std::string path() const { return op + "/" + workload + "/" + dtype; }
};

/// Whether `pattern` names the row. With *, ? or [ in it, it is a glob over the whole of the op, the family
/// or "op/workload/dtype", where * also passes a /. Any other text is looked for in "op/workload/dtype", or
/// is the whole family.
bool matches(const std::string& pattern, const RowName& row);

/// Workloads whose label starts with "tiny" verify an implementation; their times say little of it.
bool isTiny(const std::string& workload);

}  // namespace opscope
