// SPDX-License-Identifier: Apache-2.0
#include "ops/expression.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace opscope {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr std::size_t kLongestExpression = 1000;

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isWhole(double value) {
  return std::abs(value) <= kExactIntegers && value == std::floor(value);
}

// Division in doubles would round up or down near whole quotients; integers do not.
double ceilDiv(double a, double b) {
  if (b == 0) throw mu::ParserError("a division by zero");
  if (!isWhole(a) || !isWhole(b)) throw mu::ParserError("ceil_div and floor_div need whole numbers");
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  const std::int64_t quotient = x / y;
  const bool up = x % y != 0 && (x < 0) == (y < 0);
  return static_cast<double>(quotient + (up ? 1 : 0));
}

double floorDiv(double a, double b) {
  return 0 - ceilDiv(-a, b);
}

double mod(double a, double b) {
  if (b == 0) throw mu::ParserError("mod by zero");
  return std::fmod(a, b);
}

// Building a parser costs tens of microseconds and a catalogue evaluates hundreds of expressions.
mu::Parser& parser() {
  thread_local mu::Parser instance = [] {
    mu::Parser made;
    made.DefineFun("ceil_div", ceilDiv);
    made.DefineFun("floor_div", floorDiv);
    made.DefineFun("mod", mod);
    return made;
  }();
  return instance;
}

// Most expressions are one name or one whole number, and a catalogue is read whenever a program starts, of
// which parsing those was a large part. Nothing, where muParser has to say what it is or what is wrong.
std::optional<double> plainValue(const std::string& text, const Scope& scope) {
  constexpr std::size_t kExactDigits = 15;
  if (const auto named = scope.find(text); named != scope.end()) return named->second;
  if (text.empty() || text.size() > kExactDigits || !std::ranges::all_of(text, isDigit)) return {};
  std::int64_t whole = 0;
  std::from_chars(text.data(), text.data() + text.size(), whole);
  return static_cast<double>(whole);
}

[[noreturn]] void fail(const Expression& expression, const std::string& reason) {
  throw BadInput(
      fmt::format("The expression \"{}\" cannot be evaluated: {}", expression.text, reason),
      "Expected arithmetic over dimensions and parameters, with ceil_div, floor_div, mod, min, max.",
      expression.place);
}

void checkLength(const Expression& expression) {
  if (expression.text.size() > kLongestExpression)
    throw BadInput(fmt::format("An expression of {} characters; at most {} are read", expression.text.size(),
                               kLongestExpression),
                   {}, expression.place);
}

}  // namespace

double evaluate(const Expression& expression, const Scope& scope) {
  checkLength(expression);
  double value = 0;
  if (const auto plain = plainValue(expression.text, scope); plain && std::isfinite(*plain)) return *plain;
  mu::Parser& p = parser();
  try {
    p.ClearConst();
    for (const auto& [name, number] : scope) p.DefineConst(name, number);
    p.SetExpr(expression.text);
    int results = 0;
    const mu::value_type* values = p.Eval(results);
    if (results != 1) fail(expression, fmt::format("it has {} values instead of one", results));
    value = values[0];
  } catch (const mu::ParserError& error) {
    fail(expression, error.GetMsg());
  }
  if (!std::isfinite(value)) fail(expression, "the result is not finite");
  return value;
}

std::int64_t evaluateInteger(const Expression& expression, const Scope& scope, std::int64_t low,
                             std::int64_t high) {
  const double value = evaluate(expression, scope);
  if (!isWhole(value))
    throw BadInput(fmt::format("The expression \"{}\" is {}, not a whole number", expression.text, value),
                   "Whole numbers are exact up to 2^53; ceil_div(a, b) divides and rounds up.",
                   expression.place);
  const auto whole = static_cast<std::int64_t>(value);
  if (whole < low || whole > high)
    throw BadInput(
        fmt::format("The expression \"{}\" is {}; expected {} to {}", expression.text, whole, low, high), {},
        expression.place);
  return whole;
}

std::set<std::string> namesIn(const Expression& expression) {
  checkLength(expression);
  if (plainValue(expression.text, {})) return {};
  mu::Parser& p = parser();
  std::set<std::string> names;
  try {
    p.ClearConst();
    p.SetExpr(expression.text);
    for (const auto& [name, address] : p.GetUsedVar()) names.insert(name);
  } catch (const mu::ParserError& error) {
    fail(expression, error.GetMsg());
  }
  return names;
}

}  // namespace opscope
