// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "remote/cbor.h"
#include "trace/pass.h"

namespace opscope::remote {

/// Everything of a pass but its records (see records.h) and what follows from them: the receiver judges the
/// records again, and comes to the same.
Json headerOf(const Pass& pass);
Pass passFrom(const Json& header);

}  // namespace opscope::remote
