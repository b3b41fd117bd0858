// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suite/plan.h"

namespace opscope {

/// Reads a YAML list of jobs (docs/suite.md): each on top of `base`, every name looked up in the catalogue.
/// Throws CannotRead, BadInput and UnknownName, the latter two with file, line and column.
std::vector<SuiteEntry> readJobList(const std::filesystem::path& file, const Job& base,
                                    const CatalogueInfo& catalogue);
/// The same from text.
std::vector<SuiteEntry> parseJobList(const std::string& text, const std::string& file, const Job& base,
                                     const CatalogueInfo& catalogue);

}  // namespace opscope
