// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "session/run.h"

namespace opscope {

struct Vacuumed {
  std::uintmax_t before = 0;  ///< bytes, with what stood beside the file
  std::uintmax_t after = 0;
};

/// Takes what is unused out of a session file, and what `keep` does not keep of its passes. Holds one pass of
/// it in memory, whatever its size; of a run that was cut short the readings of all. The file is as it was
/// until the new one is whole. Throws CannotRead as readSession does; CannotWrite, also while another
/// program has the session open.
Vacuumed vacuumSession(const std::filesystem::path& file, RecordsKept keep);

}  // namespace opscope
