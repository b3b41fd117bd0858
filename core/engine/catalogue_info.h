// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"
#include "ops/catalogue.h"

namespace opscope {

/// The catalogue as the plain values that leave the engine.
CatalogueInfo describeCatalogue(const Catalogue& catalogue);

/// The built-in ops and those of the option's folders. Throws CannotRead without any folder of resources.
Catalogue loadCatalogue(const EngineOptions& options);

}  // namespace opscope
