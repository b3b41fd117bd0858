// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "device/provider.h"

namespace opscope {

/// Where device modules are looked for: the folders of $OPSCOPE_MODULE_PATH (separated by colons), then
/// lib/opscope and lib beside the program's folder.
std::vector<std::filesystem::path> moduleFolders();

/// The provider of libopscope_<kind>.so, from the first of the folders that has the file. A module that is
/// missing, does not load or belongs to another build becomes a provider without devices whose diagnose()
/// says so. Never throws for a module's sake; never unloads one.
std::unique_ptr<DeviceProvider> loadModule(const std::string& kind,
                                           const std::vector<std::filesystem::path>& folders);

}  // namespace opscope
