// SPDX-License-Identifier: Apache-2.0
#include "engine/prepare_process.h"

#include "device/module.h"
#include "device/range_tap.h"

namespace opscope {

void prepareProcess() {
  offerRangeTap(moduleFolders());
}

}  // namespace opscope
