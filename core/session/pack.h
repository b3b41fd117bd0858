// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "session/run.h"

namespace opscope {

/// A run without its passes, as the bytes of a session file that holds it: everything that a session keeps of
/// a run comes back exactly, and there is no second format to keep up.
std::vector<std::uint8_t> packRun(const Run& run);

/// The run again, with these passes (its controls among them), which its findings may point into. Throws
/// CannotRead for bytes that are no such run, or one whose passes are others.
std::shared_ptr<const Run> unpackRun(std::span<const std::byte> bytes,
                                     std::vector<std::shared_ptr<const Pass>> passes);

/// The session format that packed runs have.
int packedRunFormat();

}  // namespace opscope
