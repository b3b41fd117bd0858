// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <fstream>
#include <random>

#include "small_op.h"

using namespace opscope;
using opscope::testing::broken;
using opscope::testing::kSmallOp;
using opscope::testing::smallOp;
using opscope::testing::smallOpFile;

namespace {

// Unlike failureOf, with the file's real folder, so that the kernel source is found.
ErrorInfo failure(const std::string& text) {
  try {
    parseOps(text, smallOpFile());
  } catch (const BadInput& error) {
    CHECK(error.info().place.file == smallOpFile().string());
    return error.info();
  }
  FAIL("parsed without an error:\n" << text);
  return {};
}

struct Breakage {
  std::string from, to;
  int line, column;
  std::string message;  // part of what is said
};

}  // namespace

TEST_CASE("a right op is read whole", "[ops]") {
  const OpSpec op = smallOp();
  CHECK(op.name == "scale");
  CHECK(op.family == "test");
  CHECK(op.doc == "y = factor x.");
  CHECK(op.place.line == 1);
  REQUIRE(op.tensors.size() == 2);
  CHECK(op.tensors[0].name == "x");
  CHECK_FALSE(op.tensors[0].output);
  CHECK(op.tensors[1].output);
  CHECK(op.tensors[1].place.line == 8);
  CHECK(op.dims == std::vector<std::string>{"M", "N"});
  REQUIRE(op.params.size() == 2);
  CHECK(op.params[0].floating);
  CHECK(op.params[0].value == 2);
  CHECK_FALSE(op.params[1].floating);
  CHECK(op.dtypes == std::vector<DType>{DType::Float32, DType::Float16});
  REQUIRE(op.workloads.size() == 2);
  CHECK(op.workload("small").dims == std::map<std::string, std::int64_t>{{"M", 3}, {"N", 5}});
  CHECK(op.workload("small").dtypes == op.dtypes);
  CHECK(op.workload("wide").dtypes == std::vector<DType>{DType::Float16});
  CHECK(op.implementationsFor("cuda") == std::vector<std::string>{"direct"});
  const BodySpec& body = op.implementation("direct").bodies.at("cuda");
  CHECK(body.source.filename() == "traps.cu");
  REQUIRE(body.steps.size() == 1);
  CHECK(body.steps[0].args == std::vector<std::string>{"x", "y", "M"});
  CHECK(op.implementation("direct").bodies.at("host").function == "trap.twice");
}

TEST_CASE("each mistake is told with its line and column", "[ops]") {
  const std::vector<Breakage> breakages{
      {"  family: test", "  famly: test", 2, 3, "Unknown key \"famly\""},
      {"  family: test\n", "  family: test\n  family: again\n", 3, 3, "given twice"},
      {"family: test", "family: [a]", 2, 11, "Found a list"},
      {"family: test", "family: two words", 2, 11, "cannot be a name"},
      {"shape: [M, N], dist", "shap: [M, N], dist", 6, 11, "Unknown key \"shap\""},
      {"x: {shape: [M, N], distribution: \"normal(0, 1)\"}", "x: {}", 6, 10, "\"shape\" is missing"},
      {"x: {shape: [M, N]", "x: {shape: 7", 6, 18, "Found a value"},
      {"x: {shape: [M, N]", "x: {shape: [M, N +]", 6, 22, "cannot be evaluated"},
      {"x: {shape: [M, N]", "x: {shape: []", 6, 18, "A list of 0"},
      {"x: {shape", "2x: {shape", 6, 7, "is not a name"},
      {"x: {shape", "min: {shape", 6, 7, "meaning of its own"},
      {"y: {shape: [M, N]}", "x: {shape: [M, N]}", 8, 7, "The name \"x\" is taken"},
      {"y: {shape: [M, N]}", "y: {shape: [M, N], absolute: -1}", 8, 36, "negative"},
      {"y: {shape: [M, N]}", "y: {shape: [M, N], tolerance: {float8: 1}}", 8, 38, "Unknown dtype"},
      {"y: {shape: [M, N]}", "y: {shape: [M, N], tolerance: 1}", 8, 37, "a mapping"},
      {"\"normal(0, 1)\"", "\"integers(0, K)\"", 6, 40, "unknown name \"K\""},
      {"y: {shape: [M, N]}", "y: {shape: [M, N], distribution: \"normal(0, 1)\"}", 8, 26,
       "Unknown key \"distribution\""},
      {"y: {shape: [M, N]}", "y: {shape: [M, x]}", 8, 22, "which is a tensor"},
      {"normal(0, 1)", "normal(0, 0)", 6, 40, "all zero"},
      {"normal(0, 1)", "uniform(0, 0)", 6, 40, "all zero"},
      {"normal(0, 1)", "integers(0, 1)", 6, 40, "all zero"},
      {"normal(0, 1)", "integers(3, 3)", 6, 40, "empty"},
      {"normal(0, 1)", "normal(0, -1)", 6, 40, "negative deviation"},
      {"normal(0, 1)", "normal(0)", 6, 40, "cannot be read"},
      {"normal(0, 1)", "normal(a, 1)", 6, 40, "two numbers"},
      {"normal(0, 1)", "normal(nan, 1)", 6, 40, "two numbers"},
      {"normal(0, 1)", "gauss(0, 1)", 6, 40, "unknown kind"},
      {"factor: {default: 2.0}", "factor: {default: two}", 10, 25, "not a finite number"},
      {"factor: {default: 2.0}", "factor: {}", 10, 15, "\"default\" is missing"},
      {"[float32, float16]", "[float32, float7]", 12, 21, "Unknown dtype \"float7\""},
      {"[float32, float16]", "[float32, float32]", 12, 21, "given twice"},
      {"[float32, float16]", "[]", 12, 11, "empty list of dtypes"},
      {"[float32, float16]", "float32", 12, 11, "Found a value where a list"},
      {"M: 3, N: 5}", "M: 3}", 14, 7, "\"N\" is missing"},
      {"M: 3, N: 5}", "M: 3, N: 5, K: 1}", 14, 34, "Unknown key \"K\""},
      {"M: 3, N: 5}", "M: 3, N: five}", 14, 31, "not a whole number"},
      {"M: 3, N: 5}", "M: 3, N: 0}", 6, 22, "is 0; expected 1"},
      {"M: 3, N: 5}", "M: 1099511627776, N: 1099511627776}", 6, 7, "has more than"},
      {"label: wide", "label: small", 15, 15, "given twice"},
      {"label: wide", "label: custom", 15, 15, "kept for shapes given by hand"},
      {"dtypes: [float16]}", "dtypes: [bfloat16]}", 15, 42, "not one of the op's"},
      {"flops: M * N", "flops: M * K", 17, 12, "unknown name \"K\""},
      {"flops: M * N", "flops: M *", 17, 12, "cannot be evaluated"},
      {"flops: M * N", "flops: M / 0", 17, 12, "not finite"},
      {"flops: M * N", "flops: M - 100", 17, 12, "is negative"},
      {"    flops: M * N\n", "", 17, 5, "\"flops\" is missing"},
      {"reference: twice", "reference: thrice", 19, 14, "no reference \"thrice\""},
      {"  reference: twice\n", "  reference:\n", 19, 3, "Found nothing"},
      {"source: traps.cu", "source: trap.cu", 24, 17, "no kernel file \"trap.cu\""},
      {"kernel: twice, grid", "kernel: twice, gird", 26, 29, "Unknown key \"gird\""},
      {"args: [x, y, M]", "args: [x, z, M]", 26, 81, "\"z\" is not the name"},
      {"args: [x, y, M]", "args: [x, y, elem_bytes]", 26, 84, "\"elem_bytes\" is not the name"},
      {"block: 256", "block: [1, 2, 3, 4]", 26, 66, "A list of 4"},
      {"args: [x, y, M]}", "args: [x, y, M], stream: 16}", 26, 96, "not a whole number from 0 to 15"},
      {"args: [x, y, M]}", "args: [x, y, M], overlap: maybe}", 26, 97, "neither true nor false"},
      {"args: [x, y, M]}", "args: [x, y, M], cluster: [1, 2, 3, 4]}", 26, 97, "A list of 4"},
      {"args: [x, y, M]}", "args: [x, y, M], synchronise: maybe}", 26, 101, "neither true nor false"},
      {"- {kernel: twice, grid: \"ceil_div(M * N, 256)\", block: 256, args: [x, y, M]}", "- {copy: [x, y]}",
       26, 21, "writes the input \"x\""},
      {"- {kernel: twice, grid: \"ceil_div(M * N, 256)\", block: 256, args: [x, y, M]}", "- {copy: [y]}", 26,
       20, "A copy with 1"},
      {"- {kernel: twice, grid: \"ceil_div(M * N, 256)\", block: 256, args: [x, y, M]}", "- {fill: M}", 26,
       20, "\"M\" is not the name of a tensor"},
      {"source: traps.cu", "library: some.thing", 26, 11, "\"kernels\" beside \"library\""},
      {"host: {function: trap.twice}", "host: {}", 27, 13, "\"function\" is missing"},
      {"host: {function: trap.twice}", "hots: {function: trap.twice}", 27, 7, "Unknown key \"hots\""},
  };
  for (const Breakage& breakage : breakages) {
    CAPTURE(breakage.from, breakage.to);
    const ErrorInfo info = failure(broken(breakage.from, breakage.to));
    CAPTURE(info.message);
    CHECK(info.place.line == breakage.line);
    CHECK(info.place.column == breakage.column);
    CHECK_THAT(info.message, Catch::Matchers::ContainsSubstring(breakage.message));
  }
}

TEST_CASE("a graph refuses what it cannot do", "[ops]") {
  std::string text = broken("source: traps.cu\n", "source: traps.cu\n        graph: true\n");
  CHECK_NOTHROW(parseOps(text, smallOpFile()));
  const std::string args = "args: [x, y, M]}";
  text.replace(text.find(args), args.size(), "args: [x, y, M], host_sleep_us: 5}");
  const ErrorInfo info = failure(text);
  CHECK(info.place.line == 27);
  CHECK_THAT(info.message, Catch::Matchers::ContainsSubstring("\"host_sleep_us\" in a graph"));
}

TEST_CASE("text that is not YAML, or not one mapping, is refused with its place", "[ops]") {
  using opscope::testing::failureOf;
  CHECK(failureOf("a: [1, 2\nb: 3\n").place.line == 2);
  CHECK(failureOf("a: \"open\n").place.line >= 1);
  CHECK(failureOf("- a\n").message == "Found a list where a mapping is needed");
  CHECK(failureOf("").message == "Found nothing where a mapping is needed");
  CHECK(failureOf("a: 1\n---\nb: 2\n").message == "More than one YAML document in the file");
  CHECK(failureOf("a: 1\na: 2\n").place == Place{"ops.yaml", 2, 1});
  CHECK(failureOf("? [1, 2]\n: 3\n").message == "A key that is not plain text");
  CHECK(failureOf("a: *unknown\n").place.line == 1);
}

TEST_CASE("deep, endless and huge texts end in an error, not in a crash", "[ops]") {
  using opscope::testing::failureOf;
  const auto repeated = [](const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  for (const char* piece : {"[", "{a: ", "- ", "? ", "!a ", "&a ", "\t", "\"", "%", "---\n", "a: |\n"}) {
    CAPTURE(piece);
    CHECK_NOTHROW(failureOf(repeated(piece, 20'000)));
  }
  CHECK_THAT(failureOf(repeated("[", 40) + repeated("]", 40)).message,
             Catch::Matchers::ContainsSubstring("levels deep"));
  CHECK_THAT(failureOf("a: &a [*a]\n").message, Catch::Matchers::ContainsSubstring("levels deep"));
  std::string doubling = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 22; ++i)
    doubling += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
                ", *a" + std::to_string(i - 1) + "]\n";
  CHECK_THAT(failureOf(doubling).message, Catch::Matchers::ContainsSubstring("values"));
  CHECK_THAT(failureOf(std::string(2 << 20, 'a')).message, Catch::Matchers::ContainsSubstring("at most"));
}

TEST_CASE("no change of a few bytes does anything but parse or be refused", "[ops]") {
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = kSmallOp;
    for (int change = 0; change < 1 + round % 4; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 5);
          break;
        default:
          text.insert(at, 1, "[]{}:,-&*#?|>'\"%@`\n\t !"[random() % 22]);
      }
    }
    try {
      parseOps(text, smallOpFile());
    } catch (const BadInput&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
}

TEST_CASE("a file that is missing or a folder cannot be read", "[ops]") {
  CHECK_THROWS_AS(readOps("/nonexistent/ops.yaml"), CannotRead);
  CHECK_THROWS_AS(readOps(OPSCOPE_SOURCE_DIR), CannotRead);
}
