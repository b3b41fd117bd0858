// SPDX-License-Identifier: Apache-2.0
#include "ops/spec_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "ops/expression.h"
#include "ops/near_names.h"

namespace opscope {
namespace {

constexpr std::size_t kLongestName = 64;

std::string shortened(const std::string& text) {
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

// Independent of the locale, unlike strtod, and strict about what follows the number.
template <typename Number>
std::optional<Number> parseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string withoutSpaces(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result += c;
  return result;
}

Distribution readDistribution(const YamlTree& tree) {
  const std::string expected =
      "\"normal(mean, deviation)\", \"uniform(low, high)\", \"integers(low, high)\", \"permutation\" or "
      "\"partition(items, draws)\"";
  const std::string text = withoutSpaces(readText(tree, expected));
  if (text == "permutation") return {Distribution::Kind::Permutation, 0, 0, {}, {}};
  const auto fail = [&](const std::string& why) {
    throw BadInput(fmt::format("The distribution \"{}\" {}", shortened(tree.text), why),
                   fmt::format("Expected {}, in quotes inside {{ }}.", expected), tree.place);
  };
  const std::size_t open = text.find('('), comma = text.find(',');
  if (open == std::string::npos || comma == std::string::npos || comma < open || text.back() != ')')
    fail("cannot be read");
  const std::string_view view = text;
  const std::string_view kind = view.substr(0, open);
  const std::string_view first = view.substr(open + 1, comma - open - 1);
  const auto a = parseNumber<double>(first);
  const std::string_view second = view.substr(comma + 1, view.size() - comma - 2);
  const auto b = parseNumber<double>(second);
  if (kind == "partition" && !first.empty() && !second.empty())
    return {Distribution::Kind::Partition, 0, 0, Expression{std::string(first), tree.place},
            Expression{std::string(second), tree.place}};
  if (kind == "integers" && a && !b && !second.empty())
    return {Distribution::Kind::Integers, *a, 0, Expression{std::string(second), tree.place}, {}};
  if (!a || !b || !std::isfinite(*a) || !std::isfinite(*b)) fail("needs two numbers");
  Distribution distribution{Distribution::Kind::Normal, *a, *b, {}, {}};
  if (kind == "normal") {
    if (*b < 0) fail("has a negative deviation");
    if (*a == 0 && *b == 0) fail("is all zero, which hides wrong indexing and runs faster than real data");
  } else if (kind == "uniform") {
    distribution.kind = Distribution::Kind::Uniform;
    if (*a > *b) fail("has its low end above its high end");
    if (*a == 0 && *b == 0) fail("is all zero, which hides wrong indexing and runs faster than real data");
  } else if (kind == "integers") {
    distribution.kind = Distribution::Kind::Integers;
    constexpr double kLargest = 2147483647;
    if (*a != std::floor(*a) || *b != std::floor(*b) || std::abs(*a) > kLargest || std::abs(*b) > kLargest)
      fail("needs whole numbers of at most 31 bits");
    if (*b <= *a) fail("is empty: the high end is exclusive");
    if (*a == 0 && *b == 1) fail("is all zero, which hides wrong indexing and runs faster than real data");
  } else {
    fail("is of an unknown kind");
  }
  return distribution;
}

}  // namespace

Fields::Fields(const YamlTree& tree, std::string what, const std::vector<std::string>& allowed)
    : tree_(tree), what_(std::move(what)) {
  if (tree.kind != YamlTree::Kind::Map)
    throw BadInput(fmt::format("{} is {} where a mapping is needed", what_, nameOf(tree.kind)),
                   fmt::format("Expected the keys {}.", fmt::join(allowed, ", ")), tree.place);
  for (const auto& [key, place] : tree.keys)
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      throw BadInput(fmt::format("Unknown key \"{}\" in {}", shortened(key), what_),
                     nameRemedy(key, allowed, "keys"), place);
}

const YamlTree& Fields::required(std::string_view key) const {
  const YamlTree* found = tree_.find(key);
  if (found == nullptr)
    throw BadInput(fmt::format("The key \"{}\" is missing in {}", key, what_), {}, tree_.place);
  return *found;
}

const YamlTree* Fields::optional(std::string_view key) const {
  return tree_.find(key);
}

void expectKind(const YamlTree& tree, YamlTree::Kind kind, const std::string& expected) {
  if (tree.kind != kind)
    throw BadInput(fmt::format("Found {} where {} is needed", nameOf(tree.kind), nameOf(kind)),
                   fmt::format("Expected {}.", expected), tree.place);
}

std::string readText(const YamlTree& tree, const std::string& expected) {
  expectKind(tree, YamlTree::Kind::Scalar, expected);
  if (tree.text.find('\0') != std::string::npos)
    throw BadInput("A text with a zero byte in it", fmt::format("Expected {}.", expected), tree.place);
  return tree.text;
}

bool readBool(const YamlTree& tree) {
  const std::string text = readText(tree, "true or false");
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  throw BadInput(fmt::format("\"{}\" is neither true nor false", shortened(text)), {}, tree.place);
}

std::int64_t readInteger(const YamlTree& tree, std::int64_t low, std::int64_t high) {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  const std::string text = readText(tree, expected);
  const auto value = parseNumber<std::int64_t>(text);
  if (!value || *value < low || *value > high)
    throw BadInput(fmt::format("\"{}\" is not {}", shortened(text), expected), {}, tree.place);
  return *value;
}

double readNumber(const YamlTree& tree) {
  const std::string text = readText(tree, "a number");
  const auto value = parseNumber<double>(text);
  if (!value || !std::isfinite(*value))
    throw BadInput(fmt::format("\"{}\" is not a finite number", shortened(text)), {}, tree.place);
  return *value;
}

DType readDType(const YamlTree& tree) {
  const std::string expected = "float32, float16, bfloat16, int32, int64, int8 or float8_e4m3fn";
  const std::string text = readText(tree, expected);
  const auto dtype = dtypeFromName(text);
  if (!dtype)
    throw BadInput(fmt::format("Unknown dtype \"{}\"", shortened(text)),
                   fmt::format("Expected {}.", expected), tree.place);
  return *dtype;
}

std::vector<DType> readDTypes(const YamlTree& tree, const std::vector<DType>& allowed) {
  expectKind(tree, YamlTree::Kind::Sequence, "a list of dtypes, as in [float16, bfloat16]");
  if (tree.items.empty()) throw BadInput("An empty list of dtypes", "Name at least one.", tree.place);
  std::vector<DType> dtypes;
  for (const YamlTree& item : tree.items) {
    const DType dtype = readDType(item);
    if (std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end())
      throw BadInput(fmt::format("The dtype {} is given twice", nameOf(dtype)), {}, item.place);
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), dtype) == allowed.end())
      throw BadInput(fmt::format("The dtype {} is not one of the op's", nameOf(dtype)),
                     "Add it to the op's dtypes or leave it out here.", item.place);
    dtypes.push_back(dtype);
  }
  return dtypes;
}

Expression readExpression(const YamlTree& tree, const std::set<std::string>* names) {
  Expression expression{readText(tree, "an expression over dimensions and parameters"), tree.place};
  for (const std::string& used : namesIn(expression))
    if (names != nullptr && !names->contains(used))
      throw BadInput(fmt::format("The expression \"{}\" uses the unknown name \"{}\"",
                                 shortened(expression.text), shortened(used)),
                     nameRemedy(used, {names->begin(), names->end()}, "names"), tree.place);
  return expression;
}

std::vector<Expression> readExpressions(const YamlTree& tree, const std::set<std::string>* names,
                                        std::size_t atLeast, std::size_t atMost) {
  std::vector<Expression> expressions;
  if (tree.kind == YamlTree::Kind::Sequence)
    for (const YamlTree& item : tree.items) expressions.push_back(readExpression(item, names));
  else
    expressions.push_back(readExpression(tree, names));
  if (expressions.size() < atLeast || expressions.size() > atMost)
    throw BadInput(fmt::format("A list of {} where {} to {} are needed", expressions.size(), atLeast, atMost),
                   {}, tree.place);
  return expressions;
}

void checkIdentifier(const std::string& name, const Place& place) {
  const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const bool plain = !name.empty() && name.size() <= kLongestName &&
                     std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                     std::all_of(name.begin(), name.end(), isWord);
  if (!plain)
    throw BadInput(fmt::format("\"{}\" is not a name", shortened(name)),
                   "Expected letters, digits and _, not beginning with a digit.", place);
  constexpr std::array kReserved{"ceil_div", "mod", "min", "max", "sum",        "avg",    "abs",
                                 "sqrt",     "exp", "ln",  "log", "log2",       "log10",  "sign",
                                 "rint",     "sin", "cos", "tan", "elem_bytes", "dtypes", "label"};
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end())
    throw BadInput(fmt::format("\"{}\" has a meaning of its own in expressions or workloads", name),
                   "Choose another name.", place);
}

void checkLabel(const std::string& name, const Place& place) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  if (name.empty() || name.size() > kLongestName || !std::all_of(name.begin(), name.end(), fits))
    throw BadInput(fmt::format("\"{}\" cannot be a name", shortened(name)),
                   "Expected letters, digits, _, - and . (at most 64).", place);
}

TensorSpec readTensor(const std::string& name, const Place& place, const YamlTree& tree, bool input,
                      bool output, const std::set<std::string>* names) {
  checkIdentifier(name, place);
  std::vector<std::string> allowed{"shape", "dtype"};
  if (input) allowed.emplace_back("distribution");
  if (output) allowed.insert(allowed.end(), {"tolerance", "absolute"});
  const Fields fields(tree, fmt::format("the tensor {}", name), allowed);
  TensorSpec tensor;
  tensor.name = name;
  tensor.place = place;
  tensor.output = output;
  const YamlTree& shape = fields.required("shape");
  expectKind(shape, YamlTree::Kind::Sequence, "a shape as in [M, N]");
  constexpr std::size_t kMostDims = 8;
  tensor.shape = readExpressions(shape, names, 1, kMostDims);
  if (const YamlTree* dtype = fields.optional("dtype")) tensor.dtype = readDType(*dtype);
  if (const YamlTree* distribution = fields.optional("distribution"))
    tensor.distribution = readDistribution(*distribution);
  const auto readAllowance = [](const YamlTree& number) {
    const double value = readNumber(number);
    if (value < 0) throw BadInput("A negative allowance", "Expected 0 or more.", number.place);
    return value;
  };
  if (const YamlTree* absolute = output ? fields.optional("absolute") : nullptr)
    tensor.absolute = readAllowance(*absolute);
  if (const YamlTree* tolerance = output ? fields.optional("tolerance") : nullptr) {
    expectKind(*tolerance, YamlTree::Kind::Map, "a number for each dtype, as in {float16: 2e-3}");
    for (std::size_t i = 0; i < tolerance->items.size(); ++i) {
      const auto& [dtype, where] = tolerance->keys[i];
      const auto known = dtypeFromName(dtype);
      if (!known) throw BadInput(fmt::format("Unknown dtype \"{}\"", shortened(dtype)), {}, where);
      tensor.tolerance[*known] = readAllowance(tolerance->items[i]);
    }
  }
  return tensor;
}

}  // namespace opscope
