// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ops/op_spec.h"

namespace opscope {

/// Names and values that an expression may use: dimensions, parameters, elem_bytes.
using Scope = std::map<std::string, double>;

/// Evaluates with muParser, plus ceil_div(a, b), mod(a, b), min, max. Arithmetic is in doubles: whole numbers
/// are exact up to 2^53. Throws BadInput at the expression's place: a syntax error, an unknown name, a result
/// that is not finite. Any thread.
double evaluate(const Expression& expression, const Scope& scope);
/// The same where a whole number is needed: BadInput when it is not one, or not in [low, high].
std::int64_t evaluateInteger(const Expression& expression, const Scope& scope, std::int64_t low,
                             std::int64_t high);

/// The names that the expression uses, functions apart. Throws BadInput at its place for a syntax error.
std::set<std::string> namesIn(const Expression& expression);

}  // namespace opscope
