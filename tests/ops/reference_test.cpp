// SPDX-License-Identifier: Apache-2.0
#include "ops/reference.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>

using namespace opscope;

namespace {

HostTensor tensor(std::vector<std::int64_t> shape, const std::vector<double>& values,
                  DType dtype = DType::Float32) {
  HostTensor made{nullptr, dtype, std::move(shape), {}};
  made.bytes.resize(values.size() * bytesOf(dtype));
  for (std::size_t i = 0; i < values.size(); ++i)
    storeElement(dtype, made.bytes.data() + i * bytesOf(dtype), values[i]);
  return made;
}

std::vector<ReferenceValue> all(const std::string& name, const std::map<std::string, HostTensor>& inputs,
                                const std::map<std::string, std::int64_t>& dims, std::int64_t elements,
                                const std::map<std::string, double>& params = {},
                                const std::string& output = "y") {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(elements));
  std::iota(indices.begin(), indices.end(), 0);
  std::vector<ReferenceValue> values(indices.size());
  reference(name)({inputs, dims, params}, output, indices, values);
  return values;
}

std::vector<double> valuesOf(const std::vector<ReferenceValue>& references) {
  std::vector<double> values;
  for (const ReferenceValue& value : references) values.push_back(value.value);
  return values;
}

void checkNear(const std::vector<ReferenceValue>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i, got[i].value, expected[i]);
    CHECK(std::abs(got[i].value - expected[i]) < 1e-12);
    CHECK(got[i].magnitude >= std::abs(got[i].value) - 1e-12);
  }
}

using Inputs = std::map<std::string, HostTensor>;

}  // namespace

TEST_CASE("add, with and without broadcast", "[ops]") {
  const auto x = tensor({1, 2, 3}, {1, 2, 3, 4, 5, -6});
  auto values = all("add", {{"x", x}, {"other", tensor({1, 2, 1}, {10, 20})}},
                    {{"outer", 1}, {"channels", 2}, {"inner", 3}, {"broadcast", 1}}, 6);
  CHECK(valuesOf(values) == std::vector<double>{11, 12, 13, 24, 25, 14});
  CHECK(values[5].magnitude == 26);
  values = all("add", {{"x", x}, {"other", x}},
               {{"outer", 1}, {"channels", 2}, {"inner", 3}, {"broadcast", 0}}, 6);
  CHECK(valuesOf(values) == std::vector<double>{2, 4, 6, 8, 10, -12});
}

TEST_CASE("rms_norm of a row whose mean square is known", "[ops]") {
  // (1 + 49 + 25 + 25) / 4 = 25 and eps 0: divided by 5. The second row: (4 + 4 + 4 + 4) / 4 = 4, by 2.
  const auto x = tensor({2, 4}, {1, 7, -5, 5, 2, -2, 2, 2});
  const auto weight = tensor({4}, {5, 10, 5, 20});
  const auto values =
      all("rms_norm", {{"x", x}, {"weight", weight}}, {{"M", 2}, {"N", 4}}, 8, {{"eps", 0.0}});
  const std::vector<double> expected{1, 14, -5, 20, 5, -10, 5, 20};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::abs(values[i].value - expected[i]) < 1e-14);
    CHECK(values[i].magnitude == std::abs(values[i].value));
  }
}

TEST_CASE("gemm in all four transpositions", "[ops]") {
  // [1 2 3; 4 5 6] times [1 -1; 0 2; 3 1] = [10 6; 22 12].
  const std::vector<double> a{1, 2, 3, 4, 5, 6}, at{1, 4, 2, 5, 3, 6};
  const std::vector<double> b{1, -1, 0, 2, 3, 1}, bt{1, 0, 3, -1, 2, 1};
  for (const bool transA : {false, true})
    for (const bool transB : {false, true}) {
      const std::map<std::string, HostTensor> inputs{
          {"a", transA ? tensor({3, 2}, at, DType::BFloat16) : tensor({2, 3}, a, DType::BFloat16)},
          {"b", transB ? tensor({2, 3}, bt, DType::BFloat16) : tensor({3, 2}, b, DType::BFloat16)}};
      const auto values =
          all("gemm", inputs,
              {{"m", 2}, {"n", 2}, {"k", 3}, {"trans_a", transA ? 1 : 0}, {"trans_b", transB ? 1 : 0}}, 4);
      CHECK(valuesOf(values) == std::vector<double>{10, 6, 22, 12});
      // |1||-1| + |2||2| + |3||1| = 8: what cancels in the sum does not cancel here.
      CHECK(values[1].magnitude == 8);
    }
}

TEST_CASE("functions of one element at points where they are known", "[ops]") {
  const double ln3 = std::log(3.0);
  // float cannot hold ln 3 exactly; half of it and of others that it can is enough for the rest.
  const Inputs x{{"x", tensor({4}, {0, 1, -2, 4})}};
  checkNear(all("relu", x, {}, 4), {0, 1, 0, 4});
  checkNear(all("relu_squared", x, {}, 4), {0, 1, 0, 16});
  checkNear(all("exp", x, {}, 4), {1, std::exp(1.0), std::exp(-2.0), std::exp(4.0)});
  checkNear(all("clamp", x, {}, 4, {{"low", -0.5}, {"high", 2.0}}), {0, 1, -0.5, 2});
  CHECK(all("sigmoid", x, {}, 4)[0].value == 0.5);
  CHECK(std::abs(all("sigmoid", {{"x", tensor({1}, {ln3})}}, {}, 1)[0].value - 0.75) < 1e-7);
  CHECK(std::abs(all("silu", {{"x", tensor({1}, {ln3})}}, {}, 1)[0].value - 0.75 * ln3) < 1e-6);
  // The normal distribution function at 1 is 0.8413447460685429.
  const auto gelu = all("gelu", x, {}, 4);
  CHECK(gelu[0].value == 0);
  CHECK(std::abs(gelu[1].value - 0.8413447460685429) < 1e-15);
  CHECK(std::abs(gelu[2].value + 2 * 0.022750131948179195) < 1e-15);
  // A gate of 0 lets half of nothing through.
  const auto gated = all("silu_and_mul", {{"x", tensor({2, 4}, {0, 1, 5, 3, -1, 0, 2, 7})}}, {{"N", 2}}, 4);
  checkNear(gated, {0, 3 / (1 + std::exp(-1.0)), -2 / (1 + std::exp(1.0)), 0});
  checkNear(all("mul", {{"x", tensor({3}, {1, 2, -3})}, {"other", tensor({3}, {4, 0.5, 2})}}, {}, 3),
            {4, 1, -6});
}

TEST_CASE("reductions of rows by hand", "[ops]") {
  const Inputs x{{"x", tensor({2, 4}, {3, -1, 3, 1, 2, 0, -2, 0})}};
  const std::map<std::string, std::int64_t> dims{{"M", 2}, {"N", 4}};
  checkNear(all("sum", x, dims, 2), {6, 0});
  CHECK(all("sum", x, dims, 2)[1].magnitude == 4);
  checkNear(all("mean", x, dims, 2), {1.5, 0});
  // Squares of differences: 2.25 + 6.25 + 2.25 + 0.25 = 11 and 8, over 3.
  checkNear(all("var", x, dims, 2), {11.0 / 3, 8.0 / 3});
  checkNear(all("vector_norm", x, dims, 2), {std::sqrt(20.0), std::sqrt(8.0)});
  checkNear(all("max", x, dims, 2), {3, 2});
  checkNear(all("argmax", x, dims, 2), {0, 0});  // the first of two threes
  checkNear(all("cumsum", x, dims, 8), {3, 2, 5, 6, 2, 2, 0, 0});
  CHECK(all("cumsum", x, dims, 8)[7].magnitude == 4);
  checkNear(all("topk", x, {{"M", 2}, {"N", 4}, {"K", 2}}, 4), {0, 2, 0, 1});  // of two zeros the first
}

TEST_CASE("softmax of logarithms", "[ops]") {
  // e^x is 1, 2, 5 (as near as float is), in a row far from zero as well.
  const double a = std::log(2.0), b = std::log(5.0);
  const Inputs x{{"x", tensor({2, 3}, {0, a, b, 64, 64, 64})}};
  const auto values = all("softmax", x, {{"M", 2}, {"N", 3}}, 6);
  const std::vector<double> expected{0.125, 0.25, 0.625, 1.0 / 3, 1.0 / 3, 1.0 / 3};
  const auto logarithms = all("log_softmax", x, {{"M", 2}, {"N", 3}}, 6);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::abs(values[i].value - expected[i]) < 1e-7);
    CHECK(std::abs(logarithms[i].value - std::log(expected[i])) < 1e-6);
  }
}

TEST_CASE("normalisations whose mean and variance are known", "[ops]") {
  // Mean 3, variance 4; then mean 0, variance 1.
  const Inputs layer{
      {"x", tensor({2, 2}, {1, 5, -1, 1})}, {"weight", tensor({2}, {2, 3})}, {"bias", tensor({2}, {10, 20})}};
  checkNear(all("layer_norm", layer, {{"M", 2}, {"N", 2}}, 4, {{"eps", 0.0}}), {8, 23, 8, 23});
  // x + residual = (3, 4, 0, 5): mean square 12.5; (as bfloat16 they are exact).
  const Inputs fused{{"x", tensor({1, 4}, {1, 2, -3, 4}, DType::BFloat16)},
                     {"residual", tensor({1, 4}, {2, 2, 3, 1}, DType::BFloat16)},
                     {"weight", tensor({4}, {1, 1, 1, 2}, DType::BFloat16)}};
  const double scale = 1 / std::sqrt(12.5);
  const std::map<std::string, std::int64_t> dims{{"M", 1}, {"N", 4}};
  checkNear(all("fused_add_rms_norm", fused, dims, 4, {{"eps", 0.0}}), {3 * scale, 4 * scale, 0, 10 * scale});
  checkNear(all("fused_add_rms_norm", fused, dims, 4, {{"eps", 0.0}}, "sum_out"), {3, 4, 0, 5});
  // Two images of two channels of one element: channel 0 is (1, 5), channel 1 is (-2, 2).
  const Inputs batch{{"x", tensor({2, 2, 1}, {1, -2, 5, 2})},
                     {"weight", tensor({2}, {1, 10})},
                     {"bias", tensor({2}, {0, 1})}};
  const std::map<std::string, std::int64_t> images{{"images", 2}, {"channels", 2}, {"inner", 1}};
  checkNear(all("batch_norm", batch, images, 4, {{"eps", 0.0}}), {-1, -9, 1, 11});
  checkNear(all("batch_norm", batch, images, 2, {{"eps", 0.0}}, "mean"), {3, 0});
  checkNear(all("batch_norm", batch, images, 2, {{"eps", 0.0}}, "rstd"), {0.5, 0.5});
  // One image in two groups of one channel of two elements.
  const Inputs group{{"x", tensor({1, 2, 1, 2}, {1, 5, -2, 2})},
                     {"weight", tensor({2}, {1, 10})},
                     {"bias", tensor({2}, {0, 1})}};
  checkNear(all("group_norm", group, {{"images", 1}, {"channels", 2}, {"groups", 2}, {"inner", 2}}, 4,
                {{"eps", 0.0}}),
            {-1, 1, -9, 11});
}

TEST_CASE("what only moves data", "[ops]") {
  checkNear(all("transpose", {{"x", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}}, {{"R", 2}, {"C", 3}}, 6),
            {1, 4, 2, 5, 3, 6});
  checkNear(
      all("embedding",
          {{"table", tensor({3, 2}, {1, 2, 3, 4, 5, 6})}, {"ids", tensor({3}, {2, 0, 2}, DType::Int64)}},
          {{"V", 3}, {"H", 2}, {"T", 3}}, 6),
      {5, 6, 1, 2, 5, 6});
}

TEST_CASE("quantisation gives what is to be rounded, and the scale", "[ops]") {
  const Inputs x{{"x", tensor({2, 2}, {1, -2, 0, 0})}};
  const std::map<std::string, std::int64_t> dims{{"M", 2}, {"N", 2}};
  checkNear(all("quantize_int8", x, dims, 4, {}, "q"), {63.5, -127, 0, 0});
  checkNear(all("quantize_int8", x, dims, 2, {}, "scale"), {2.0 / 127, 0});
  checkNear(all("quantize_fp8", x, dims, 4, {}, "q"), {224, -448, 0, 0});
  checkNear(all("quantize_fp8", x, dims, 2, {}, "scale"), {2.0 / 448, 0});
}

TEST_CASE("products of matrices in a batch, and of fp8", "[ops]") {
  const Inputs batch{{"a", tensor({2, 1, 2}, {1, 2, 3, -4})}, {"w", tensor({2, 2, 1}, {5, 6, 7, 8})}};
  const auto values = all("bmm", batch, {{"b", 2}, {"m", 1}, {"n", 1}, {"k", 2}}, 2);
  checkNear(values, {17, -11});
  CHECK(values[1].magnitude == 53);
  const Inputs fp8{{"a", tensor({1, 2}, {1, 2}, DType::Float8E4M3)},
                   {"b", tensor({2, 2}, {3, 4, 5, -6}, DType::Float8E4M3)},
                   {"scale_a", tensor({1}, {0.5})},
                   {"scale_b", tensor({1}, {4})}};
  checkNear(all("gemm_fp8", fp8, {{"m", 1}, {"n", 2}, {"k", 2}}, 2), {22, -14});
}

TEST_CASE("attention weighs what a query sees", "[ops]") {
  // Width 1, so that nothing is scaled. Query 1 sees one key; query 2 sees both, with scores 0 and 2 ln 3 /
  // ... = ln 3.
  const double ln3 = std::log(3.0);
  const Inputs causal{{"q", tensor({1, 2, 1, 1}, {5, 1})},
                      {"k", tensor({1, 2, 1, 1}, {0, ln3})},
                      {"v", tensor({1, 2, 1, 1}, {4, 8})}};
  const auto prefill = all("mha_prefill", causal, {{"B", 1}, {"S", 2}, {"H", 1}, {"D", 1}}, 2);
  CHECK(prefill[0].value == 4);
  CHECK(std::abs(prefill[1].value - 7) < 1e-6);  // 1/4 of 4 and 3/4 of 8
  // One token, two heads that share the keys: the first sees nothing to choose, the second as above.
  const Inputs shared{{"q", tensor({1, 1, 2, 1}, {0, 1})},
                      {"k", tensor({1, 2, 1, 1}, {0, ln3})},
                      {"v", tensor({1, 2, 1, 1}, {4, 8})}};
  const auto decode = all("gqa_decode", shared, {{"B", 1}, {"S", 2}, {"H", 2}, {"G", 1}, {"D", 1}}, 2);
  CHECK(decode[0].value == 6);
  CHECK(std::abs(decode[1].value - 7) < 1e-6);
  // The last of three keys is the only query's own.
  const Inputs late{{"q", tensor({1, 1, 1, 1}, {0})},
                    {"k", tensor({1, 3, 1, 1}, {1, 2, 3})},
                    {"v", tensor({1, 3, 1, 1}, {3, 6, 12})}};
  checkNear(all("gqa_prefill", late, {{"B", 1}, {"Q", 1}, {"S", 3}, {"H", 1}, {"G", 1}, {"D", 1}}, 1), {7});
}

TEST_CASE("rotary encoding turns pairs", "[ops]") {
  // Position 0 is not turned, position 1 by a quarter: (a, b) becomes (-b, a).
  const Inputs x{{"x", tensor({1, 2, 1, 2}, {1, 2, 3, 4})},
                 {"cosines", tensor({2, 1}, {1, 0})},
                 {"sines", tensor({2, 1}, {0, 1})}};
  checkNear(all("rope_neox", x, {{"B", 1}, {"S", 2}, {"H", 1}, {"half", 1}}, 4), {1, 2, -4, 3});
}

TEST_CASE("experts are chosen, sorted by, and put together", "[ops]") {
  const Inputs logits{{"logits", tensor({1, 3}, {0, std::log(2.0), 0})}};
  const std::map<std::string, std::int64_t> gate{{"T", 1}, {"E", 3}, {"K", 2}};
  checkNear(all("moe_gate", logits, gate, 2, {}, "ids"), {1, 0});  // of equal ones the lower first
  const auto weights = all("moe_gate", logits, gate, 2, {}, "weights");
  CHECK(std::abs(weights[0].value - 0.5) < 1e-7);
  CHECK(std::abs(weights[1].value - 0.25) < 1e-7);
  // Token 0 goes to experts 2 and 0, token 1 to 0 and 2.
  const Inputs tokens{{"hidden", tensor({2, 1}, {7, 9})},
                      {"ids", tensor({2, 2}, {2, 0, 0, 2}, DType::Int32)}};
  const std::map<std::string, std::int64_t> sizes{{"T", 2}, {"K", 2}, {"H", 1}, {"E", 3}};
  checkNear(all("moe_permute", tokens, sizes, 4, {}, "inverse"), {2, 0, 1, 3});
  checkNear(all("moe_permute", tokens, sizes, 4, {}, "sorted"), {7, 9, 7, 9});
  checkNear(all("moe_permute", tokens, sizes, 4, {}, "offsets"), {0, 2, 2, 4});
  checkNear(all("moe_permute", tokens, sizes, 3, {}, "sizes"), {2, 0, 2});
  const Inputs back{{"sorted", tensor({4, 1}, {1, 2, 4, 8})},
                    {"inverse", tensor({2, 2}, {2, 0, 1, 3}, DType::Int32)},
                    {"weights", tensor({2, 2}, {0.5, 1, 0.25, -1})}};
  const auto together = all("moe_unpermute", back, {{"T", 2}, {"K", 2}, {"H", 1}}, 2);
  checkNear(together, {3, -7.5});
  CHECK(together[1].magnitude == 8.5);
}

TEST_CASE("windows over images", "[ops]") {
  // A kernel of 2 x 2 over 3 x 3 with stride 2 and padding 1: its four places see one, two, two and four
  // pixels.
  const Inputs x{{"x", tensor({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
                 {"w", tensor({1, 1, 2, 2}, {1, 10, 100, 1000})}};
  const std::map<std::string, std::int64_t> conv{{"images", 1}, {"c_in", 1},    {"height", 3},
                                                 {"width", 3},  {"c_out", 1},   {"kernel", 2},
                                                 {"stride", 2}, {"padding", 1}, {"dilation", 1}};
  checkNear(all("conv2d", x, conv, 4), {1000, 3200, 7040, 9865});
  const std::map<std::string, std::int64_t> pool{{"planes", 1}, {"height", 3}, {"width", 3},
                                                 {"window", 2}, {"stride", 2}, {"padding", 1}};
  checkNear(all("max_pool2d", {{"x", tensor({1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, -9})}}, pool, 4),
            {1, 3, 7, 8});
}

TEST_CASE("dropout keeps about 1 - p of the elements, the same ones each time", "[ops]") {
  const Inputs ones{{"x", tensor({4000}, std::vector<double>(4000, 1.0))}};
  const auto kept = [&](double p, double seed) {
    return valuesOf(all("dropout", ones, {}, 4000, {{"p", p}, {"random_seed", seed}}));
  };
  const std::vector<double> half = kept(0.5, 1), most = kept(0.25, 1);
  CHECK(half == kept(0.5, 1));
  CHECK(half != kept(0.5, 2));
  const auto count = std::count(half.begin(), half.end(), 2.0);
  CHECK(count + std::count(half.begin(), half.end(), 0.0) == 4000);
  CHECK(std::abs(static_cast<double>(count) - 2000) < 160);  // five deviations of 32
  CHECK(std::abs(static_cast<double>(std::count(most.begin(), most.end(), 0.0)) - 1000) < 140);
  CHECK(kept(0.0, 1) == std::vector<double>(4000, 1.0));
}

TEST_CASE("the transform of an impulse, of a constant and of a turn", "[ops]") {
  const Inputs x{{"x", tensor({3, 4, 2}, {0, 0, 1, 0, 0,  0, 0, 0,       // at place 1: e^(-2 pi i j / 4)
                                          2, 1, 2, 1, 2,  1, 2, 1,       // constant
                                          1, 0, 0, 1, -1, 0, 0, -1})}};  // i^j
  checkNear(all("fft_c2c", x, {{"M", 3}, {"N", 4}}, 24),
            {1, 0, 0, -1, -1, 0, 0, 1, 8, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0});
}

TEST_CASE("a reference computes just the indices it is asked for", "[ops]") {
  const auto x = tensor({5}, {1, 2, 3, 4, 5});
  const std::vector<std::int64_t> indices{1, 4};
  std::vector<ReferenceValue> values(2);
  const std::map<std::string, HostTensor> inputs{{"x", x}};
  const std::map<std::string, std::int64_t> dims{{"n", 5}};
  const std::map<std::string, double> params;
  reference("twice")({inputs, dims, params}, "y", indices, values);
  CHECK(valuesOf(values) == std::vector<double>{4, 10});
  CHECK_THROWS_AS(reference("nothing"), UnknownName);
}
