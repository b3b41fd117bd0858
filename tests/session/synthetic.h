// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/temporary_folder.h"
#include "session/run.h"

namespace opscope::test {

/// A run of two implementations: A measured in two passes (busy 12 and 14 us; one gap each, host-late), B
/// failed with RecordsLost in its only pass. Every field of Run and Pass has a value that differs from its
/// default.
Run syntheticRun();

/// Every field of a run as text, bit for bit: equal texts are equal runs.
std::string dump(const Run& run);

std::string readText(const std::filesystem::path& file);
void writeText(const std::filesystem::path& file, const std::string& text);

}  // namespace opscope::test
