// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "stats/summary.h"

namespace opscope {

/// What one way of timing says of one call. Only the records are the number; the others stand beside them so
/// that it can be seen what each includes.
struct MethodReading {
  std::string method;                 ///< "records: busy", "event pair", ...
  std::string l2;                     ///< the caches' state before each call, as it is to be shown
  std::string includes;               ///< what the reading has in it beside the kernels, as a phrase
  std::uint32_t callsPerReading = 1;  ///< a reading is the mean over so many calls
  Summary perCall;                    ///< ns of one call, over n readings
  std::optional<ErrorInfo> failure;   ///< set: why there is no reading
};

/// What recording costs: the same event pairs around the call with collection off and on.
struct TracingCost {
  Summary off;  ///< ns from event to event, without collection
  Summary on;   ///< the same with it
  std::optional<ErrorInfo> failure;
  double cost() const { return on.median - off.median; }
  /// What a difference of the two medians must exceed to be more than their spread: twice its standard error,
  /// with that of a median taken from the interquartile range.
  double resolution() const;
};

inline double TracingCost::resolution() const {
  if (off.n == 0 || on.n == 0) return 0;
  // Of a normal distribution: IQR 1.349 sigma, standard error of the median 1.253 sigma / sqrt(n).
  constexpr double kPerIqr = 1.253 / 1.349;
  const double a = kPerIqr * off.iqr / std::sqrt(static_cast<double>(off.n));
  const double b = kPerIqr * on.iqr / std::sqrt(static_cast<double>(on.n));
  return 2 * std::sqrt(a * a + b * b);
}

}  // namespace opscope
