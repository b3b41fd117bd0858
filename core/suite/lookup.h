// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"

namespace opscope {

/// Throw UnknownName, offering near names.
const CatalogueInfo::Op& opNamed(const CatalogueInfo& catalogue, const std::string& name);
const CatalogueInfo::Workload& workloadNamed(const CatalogueInfo::Op& op, const std::string& label);

/// All that have a body for this kind of device, whatever the workload.
std::vector<std::string> implementationsFor(const CatalogueInfo::Op& op, const std::string& deviceKind);

}  // namespace opscope
