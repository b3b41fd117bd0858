// SPDX-License-Identifier: Apache-2.0
#include "ops/reference.h"

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
                                const std::map<std::string, double>& params = {}) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(elements));
  std::iota(indices.begin(), indices.end(), 0);
  std::vector<ReferenceValue> values(indices.size());
  reference(name)({inputs, dims, params}, "y", indices, values);
  return values;
}

std::vector<double> valuesOf(const std::vector<ReferenceValue>& references) {
  std::vector<double> values;
  for (const ReferenceValue& value : references) values.push_back(value.value);
  return values;
}

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
