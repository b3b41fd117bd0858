// SPDX-License-Identifier: Apache-2.0
// A library that marks itself, for tests that drive it through Python's ctypes.
#include <nvtx3/nvToolsExt.h>

__attribute__((visibility("default"))) void marks_push(const char* name) {
  nvtxRangePushA(name);
}
__attribute__((visibility("default"))) void marks_pop(void) {
  nvtxRangePop();
}
