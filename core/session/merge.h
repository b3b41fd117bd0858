// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace opscope {

struct MergedSessions {
  std::size_t runs = 0;
  std::size_t duplicates = 0;  ///< runs that an earlier session, or the same one, had already
};

/// Writes the runs of all `inputs`, in their order, into `out`, which is there whole or not at all. A run
/// that several of them have (a copy of a session that was added to) is written once. `out` may be one of the
/// inputs. Throws CannotRead as readSession does, and CannotWrite, also for an `out` that exists and is not
/// among the inputs: its runs would be lost.
MergedSessions mergeSessions(const std::filesystem::path& out,
                             const std::vector<std::filesystem::path>& inputs);

}  // namespace opscope
