// SPDX-License-Identifier: Apache-2.0
#include "device/provider.h"

// Built with another kModuleVersion than the program's.
extern "C" opscope::DeviceProvider* opscope_create_provider(int) {
  return nullptr;
}
