// SPDX-License-Identifier: Apache-2.0
#include "stats/student_t.h"

#include <cmath>
#include <numbers>

#include "base/error.h"

namespace opscope {
namespace {

// P(|T| <= t), by the finite series that whole degrees of freedom have.
double probabilityWithin(double t, unsigned degreesOfFreedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degreesOfFreedom)));
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  const bool odd = degreesOfFreedom % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degreesOfFreedom == 1 ? 0 : term;
  for (unsigned i = odd ? 3 : 2; i + 2 <= degreesOfFreedom; i += 2) {
    term *= cosine * cosine * static_cast<double>(i - 1) / static_cast<double>(i);
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

}  // namespace

double studentT(double confidence, unsigned degreesOfFreedom) {
  const bool possible = confidence > 0 && confidence < 1 && degreesOfFreedom > 0;  // false for NaN too
  if (!possible)
    throw InternalError("Student's t was asked for a confidence or degrees of freedom that it has not");
  double low = 0;
  double high = 1;
  while (probabilityWithin(high, degreesOfFreedom) < confidence) high *= 2;
  // Halving until the two are neighbours: some sixty steps, and nothing to tune.
  for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2)
    (probabilityWithin(middle, degreesOfFreedom) < confidence ? low : high) = middle;
  return high;
}

}  // namespace opscope
