// SPDX-License-Identifier: Apache-2.0
#include "suite/pattern.h"

#include <fnmatch.h>

namespace opscope {

bool matches(const std::string& pattern, const RowName& row) {
  const std::string path = row.path();
  if (pattern.find_first_of("*?[") == std::string::npos)
    return path.find(pattern) != std::string::npos || pattern == row.family;
  for (const std::string& text : {row.op, row.family, path})
    if (fnmatch(pattern.c_str(), text.c_str(), 0) == 0) return true;
  return false;
}

bool isTiny(const std::string& workload) {
  return workload.starts_with("tiny");
}

}  // namespace opscope
