// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opscope {

/// The two-sided quantile of Student's t: the t for which |T| <= t has the probability `confidence`. Exact to
/// rounding, for any whole number of degrees of freedom from 1. Throws InternalError outside of 0 <
/// confidence < 1.
double studentT(double confidence, unsigned degreesOfFreedom);

}  // namespace opscope
