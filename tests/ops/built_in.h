// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "ops/catalogue.h"

namespace opscope::testing {

/// The ops that Opscope comes with.
inline const Catalogue& builtIn() {
  static const Catalogue catalogue =
      Catalogue::load({std::filesystem::path(OPSCOPE_SOURCE_DIR) / "resources" / "ops"});
  return catalogue;
}

}  // namespace opscope::testing
