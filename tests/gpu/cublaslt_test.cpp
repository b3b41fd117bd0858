// SPDX-License-Identifier: Apache-2.0
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <map>
#include <random>

#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;

namespace {

struct Matrix {
  Matrix(Device& device, DType type, std::int64_t rowCount, std::int64_t columnCount, unsigned seed)
      : dtype(type),
        rows(rowCount),
        columns(columnCount),
        bytes(static_cast<std::size_t>(rows * columns) * bytesOf(dtype)),
        memory(device.allocate(bytes.size())) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < rows * columns; ++i)
      storeElement(dtype, bytes.data() + static_cast<std::size_t>(i) * bytesOf(dtype), normal(random));
    device.copyToDevice(*memory, bytes);
  }
  double at(std::int64_t row, std::int64_t column) const {
    return loadElement(dtype,
                       bytes.data() + static_cast<std::size_t>(row * columns + column) * bytesOf(dtype));
  }
  TensorArg arg(const std::string& name) const { return {name, dtype, {rows, columns}, memory.get()}; }

  DType dtype;
  std::int64_t rows;
  std::int64_t columns;
  std::vector<std::byte> bytes;
  std::unique_ptr<DeviceMemory> memory;
};

double toleranceOf(DType dtype) {
  return dtype == DType::Float32 ? 1e-5 : dtype == DType::Float16 ? 1e-3 : 1.6e-2;
}

}  // namespace

TEST_CASE("cublaslt.gemm computes the product, row-major, in every dtype and transposition") {
  const auto device = gpu();
  const DType dtype = GENERATE(DType::Float32, DType::Float16, DType::BFloat16);
  const auto [transA, transB] = GENERATE(std::pair{0, 0}, std::pair{0, 1}, std::pair{1, 0}, std::pair{1, 1});
  constexpr std::int64_t m = 72, n = 136, k = 200;  // all different, so that nothing can be mistaken
  Matrix a(*device, dtype, transA ? k : m, transA ? m : k, 1);
  Matrix b(*device, dtype, transB ? n : k, transB ? k : n, 2);
  Matrix c(*device, dtype, m, n, 3);
  CallSpec spec;
  spec.label = "gemm";
  spec.tensors = {a.arg("a"), b.arg("b"), c.arg("c")};
  for (const auto& [name, value] : std::map<std::string, std::int64_t>{
           {"m", m}, {"n", n}, {"k", k}, {"trans_a", transA}, {"trans_b", transB}})
    spec.scalars[name] = {.floating = false, .integer = value, .real = 0};
  spec.body = LibraryCall{"cublaslt.gemm"};
  std::unique_ptr<Call> call;
  try {
    call = device->prepare(spec);
  } catch (const LibraryMissing& error) {
    SKIP(error.what());
  }
  device->fill(*c.memory, std::byte{0xff});
  call->issue();
  device->drain();
  device->copyToHost(c.bytes, *c.memory);
  double worst = 0;
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      double sum = 0, magnitude = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        const double product =
            (transA ? a.at(i, row) : a.at(row, i)) * (transB ? b.at(column, i) : b.at(i, column));
        sum += product;
        magnitude += std::abs(product);
      }
      const double off = std::abs(c.at(row, column) - sum) / magnitude;
      worst = std::isnan(off) ? INFINITY : std::max(worst, off);
    }
  INFO(nameOf(dtype) << " trans_a " << transA << " trans_b " << transB << " worst " << worst);
  CHECK(worst <= toleranceOf(dtype));

  const Pass pass = measure(*device, *call, {.iterations = 10});
  requireMeasured(pass);
}

TEST_CASE("cublaslt.gemm refuses what is no product") {
  const auto device = gpu();
  Matrix a(*device, DType::Float32, 8, 16, 1);
  Matrix b(*device, DType::Float32, 16, 4, 2);
  Matrix c(*device, DType::Float32, 8, 4, 3);
  CallSpec spec;
  spec.label = "gemm";
  spec.tensors = {a.arg("a"), b.arg("b"), c.arg("c")};
  spec.body = LibraryCall{"cublaslt.gemm"};
  spec.scalars["m"] = {.floating = false, .integer = 8, .real = 0};
  spec.scalars["n"] = {.floating = false, .integer = 4, .real = 0};
  CHECK_THROWS_AS(device->prepare(spec), BadInput);  // no k
  spec.scalars["k"] = {.floating = false, .integer = 15, .real = 0};
  CHECK_THROWS_AS(device->prepare(spec), BadInput);  // a has 16 columns
  spec.scalars["k"] = {.floating = false, .integer = 16, .real = 0};
  spec.scalars["trans_a"] = {.floating = false, .integer = 2, .real = 0};
  CHECK_THROWS_AS(device->prepare(spec), BadInput);
}
