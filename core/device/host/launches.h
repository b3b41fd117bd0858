// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "device/device.h"

namespace opscope::host {

// For a program that brings its own host kernels: work on a host device as a CUDA program puts it on a GPU.
// From any thread; what a thread launches carries an iteration's number only when it is the launch thread.

/// Queues a kernel and returns at once. Throws BadInput (`device` is no host device, no such stream),
/// DeviceLost.
void launch(Device& device, std::string_view name, std::function<void()> kernel, std::uint32_t stream = 0);
/// Queues a copy, recorded as a memop.
void copy(Device& device, std::byte* to, const std::byte* from, std::size_t bytes, std::uint32_t stream = 0);
/// Waits until everything that was queued has run.
void synchronise(Device& device);

}  // namespace opscope::host
