// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "ops/host/host_ops.h"
#include "ops/reference.h"

namespace opscope {

void registerHostFunctions() {
  static std::once_flag once;
  std::call_once(once, [] {
    host::Functions& functions = host::Functions::global();
    registerAdd(functions);
    registerRmsNorm(functions);
    registerGemm(functions);
    registerTraps(functions);
  });
}

}  // namespace opscope
