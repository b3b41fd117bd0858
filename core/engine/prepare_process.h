// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opscope {

/// What a program does first that measures in its own process, before it has other threads: what ops mark of
/// themselves by NVTX then arrives in the records of a pass (device/range_tap.h).
void prepareProcess();

}  // namespace opscope
