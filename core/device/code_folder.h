// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace opscope {

/// The folder of the file that holds this code: the program's own, or that of a library which another program
/// has loaded (Python's). Falls back to the program's. Throws CannotRead where that is unknown, too.
std::filesystem::path codeFolder();

}  // namespace opscope
