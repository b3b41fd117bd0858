// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opscope {

/// Writes the files of an op to begin with, NAME.yaml and NAME.cu, into a folder that is made where it is not
/// there. Returns them. Throws BadInput (a name that no op can have), CannotRead (the templates), CannotWrite
/// (a file of that name is there already, no permission).
std::vector<std::filesystem::path> writeNewOp(const std::filesystem::path& folder, const std::string& name);

}  // namespace opscope
