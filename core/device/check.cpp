// SPDX-License-Identifier: Apache-2.0
#include "device/check.h"

namespace opscope {

Check checkOf(const DeviceFact& fact, const std::string& id) {
  Check check;
  check.state = fact.state;
  check.subject = id + ", " + fact.name;
  check.sentence = fact.explanation.empty() ? fact.value : fact.value + ": " + fact.explanation;
  check.remedy = fact.remedy;
  return check;
}

}  // namespace opscope
