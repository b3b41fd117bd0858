// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/records.h"

namespace opscope {

/// What an event of a Kineto trace is a record of.
enum class EventKind : std::uint8_t { Ignored, Kernel, Copy, Set, Api, Overhead, Annotation };

/// By the event's category, in its spellings: "kernel" and "Kernel", "gpu_memcpy" and "Memcpy",
/// "cuda_runtime", "cuda_driver" and "Runtime", ...
EventKind eventKindOf(std::string_view category);

/// What an API call put into a stream; Other where its name does not tell.
LaunchKind launchKindOf(std::string_view apiName);

/// The kind of a copy by its name, "Memcpy HtoD (Pageable -> Device)"; Other where it does not tell.
MemopKind copyKindOf(std::string_view name);

}  // namespace opscope
