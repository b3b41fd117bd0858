// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <new>
#include <numeric>
#include <string>

#include "base/format.h"
#include "base/large_vector.h"
#include "base/stretches.h"
#include "ops/elements.h"
#include "ops/expression.h"
#include "ops/prepared.h"

// Compiled without contraction of a * b + c (see CMakeLists.txt): with it the same seed would give other
// values on machines that have a fused multiply-add.

namespace opscope {
namespace {

// The finaliser of SplitMix64. Element i of a tensor is mix(key + i * golden): a counter, not a state, so
// that any part of a tensor can be made by any thread.
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;

constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::uint64_t keyOf(std::uint64_t seed, const std::string& name) {
  std::uint64_t key = mix(seed + kGolden);
  for (const char c : name) key = mix(key ^ static_cast<unsigned char>(c)) + kGolden;
  return key;
}

// Without a popcount instruction std::popcount is a table lookup; this the compiler vectorises.
constexpr std::uint32_t bitsSet(std::uint32_t v) {
  v = v - ((v >> 1) & 0x55555555u);
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  v = (v + (v >> 4)) & 0x0f0f0f0fu;
  return (v * 0x01010101u) >> 24;
}

// Near-normal from integers alone, since the logarithm and the cosine of two C libraries differ in the last
// bit: the number of ones among 32 bits, smoothed by the sum of two 16-bit uniforms. Mean and deviation are
// those asked for, the excess kurtosis is -0.06, the tails end at 5.9 deviations.
struct Normal {
  double mean, step;
  Normal(double m, double deviation) : mean(m), step(deviation / (65536.0 * std::sqrt(8.0 + 1.0 / 6.0))) {}
  double operator()(std::uint64_t h) const {
    const auto low = static_cast<std::uint32_t>(h);
    const auto count = static_cast<std::int32_t>(bitsSet(static_cast<std::uint32_t>(h >> 32)));
    const auto dither = static_cast<std::int32_t>((low & 0xffffu) + (low >> 16)) - 65535;
    return mean + step * static_cast<double>((count - 16) * 65536 + dither);
  }
};

struct Uniform {
  double low, width;
  double operator()(std::uint64_t h) const { return low + width * (static_cast<double>(h >> 11) * 0x1p-53); }
};

struct Integers {
  std::int64_t low;
  std::uint64_t count;  // at most 2^32
  double operator()(std::uint64_t h) const {
    return static_cast<double>(low + static_cast<std::int64_t>(((h >> 32) * count) >> 32));
  }
};

struct Float8 {
  std::byte bits;
};

template <typename Element, typename Draw>
void fillRange(Element* to, std::int64_t first, std::int64_t last, std::uint64_t key, const Draw& draw) {
  for (std::int64_t i = first; i < last; ++i) {
    const double value = draw(mix(key + static_cast<std::uint64_t>(i) * kGolden));
    if constexpr (std::is_same_v<Element, Float8>)
      storeElement(DType::Float8E4M3, &to[i].bits, static_cast<double>(static_cast<float>(value)));
    else if constexpr (std::is_integral_v<Element>)
      to[i] = static_cast<Element>(value);
    else
      fromFloat(static_cast<float>(value), to[i]);
  }
}

template <typename Element, typename Draw>
void fillTensor(HostTensor& tensor, std::uint64_t key, const Draw& draw) {
  auto* to = reinterpret_cast<Element*>(tensor.bytes.data());
  constexpr std::size_t kWorthAThread = 1 << 18;
  inStretches(static_cast<std::size_t>(tensor.elements()), kWorthAThread,
              [&](std::size_t first, std::size_t last) {
                fillRange(to, static_cast<std::int64_t>(first), static_cast<std::int64_t>(last), key, draw);
              });
}

template <typename Draw>
void fillTensor(HostTensor& tensor, std::uint64_t key, const Draw& draw) {
  if (tensor.dtype == DType::Int32) return fillTensor<std::int32_t>(tensor, key, draw);
  if (tensor.dtype == DType::Int64) return fillTensor<std::int64_t>(tensor, key, draw);
  if (tensor.dtype == DType::Int8) return fillTensor<std::int8_t>(tensor, key, draw);
  if (tensor.dtype == DType::Float8E4M3) return fillTensor<Float8>(tensor, key, draw);
  withElementType(tensor.dtype, [&]<typename Element>(Element*) { fillTensor<Element>(tensor, key, draw); });
}

// The numbers from 0 on in a random order: element i changes places with one of those up to it.
void fillPermutation(HostTensor& tensor, std::uint64_t key) {
  const std::int64_t elements = tensor.elements();
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (elements > kMost || (tensor.dtype != DType::Int32 && tensor.dtype != DType::Int64))
    throw BadInput(fmt::format("{} cannot be a permutation of {} numbers", tensor.spec->name, elements),
                   "Give it the dtype int32 or int64, and at most 2^31 elements.", tensor.spec->place);
  std::vector<std::int64_t> order(static_cast<std::size_t>(elements));
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::uint64_t h = mix(key + static_cast<std::uint64_t>(i) * kGolden);
    const auto with = static_cast<std::size_t>(((h >> 32) * static_cast<std::uint64_t>(i + 1)) >> 32);
    order[static_cast<std::size_t>(i)] = order[with];
    order[with] = i;
  }
  for (std::int64_t i = 0; i < elements; ++i)
    storeElement(tensor.dtype, tensor.bytes.data() + static_cast<std::size_t>(i) * bytesOf(tensor.dtype),
                 static_cast<double>(order[static_cast<std::size_t>(i)]));
}

// Where parts of altogether `items` begin, and behind them where the last one ends. Each part gets an item
// before any gets two, so that what an op reads of parts that have any does not depend on the seed; items too
// few for that are spread evenly. The others go by lot.
void fillPartition(HostTensor& tensor, std::int64_t items, std::int64_t draws, std::uint64_t key) {
  const std::int64_t parts = tensor.elements() - 1;
  if (parts < 1 || (tensor.dtype != DType::Int32 && tensor.dtype != DType::Int64))
    throw BadInput(fmt::format("{} cannot be a partition", tensor.spec->name),
                   "Give it the dtype int32 or int64, and one element more than there are parts.",
                   tensor.spec->place);
  std::vector<std::int64_t> ends(static_cast<std::size_t>(parts) + 1);
  const auto give = [&](std::int64_t part) { ++ends[static_cast<std::size_t>(part) + 1]; };
  for (std::int64_t i = 0; i < std::min(items, parts); ++i) give(items < parts ? i * parts / items : i);
  for (std::int64_t i = 0; i < items - parts; ++i) {
    std::int64_t lowest = parts;
    for (std::int64_t draw = 0; draw < draws; ++draw) {
      const std::uint64_t h = mix(key + static_cast<std::uint64_t>(i * draws + draw) * kGolden);
      lowest =
          std::min(lowest, static_cast<std::int64_t>(((h >> 32) * static_cast<std::uint64_t>(parts)) >> 32));
    }
    give(lowest);
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  for (std::size_t i = 0; i < ends.size(); ++i)
    storeElement(tensor.dtype, tensor.bytes.data() + i * bytesOf(tensor.dtype), static_cast<double>(ends[i]));
}

void fillTensor(HostTensor& tensor, const Distribution& distribution, std::uint64_t seed) {
  const std::uint64_t key = keyOf(seed, tensor.spec->name);
  const double a = distribution.a, b = distribution.b;
  switch (distribution.kind) {
    case Distribution::Kind::Normal:
      return fillTensor(tensor, key, Normal(a, b));
    case Distribution::Kind::Uniform:
      return fillTensor(tensor, key, Uniform{a, b - a});
    case Distribution::Kind::Integers:
      return fillTensor(tensor, key,
                        Integers{static_cast<std::int64_t>(a), static_cast<std::uint64_t>(b - a)});
    case Distribution::Kind::Permutation:
      return fillPermutation(tensor, key);
    case Distribution::Kind::Partition:
      return fillPartition(tensor, static_cast<std::int64_t>(b), static_cast<std::int64_t>(a), key);
  }
}

bool isAllZero(const HostTensor& tensor) {
  return std::all_of(tensor.bytes.begin(), tensor.bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// A small draw of integers, or one of a few normals, can be zero throughout by chance. The permutation of one
// number, and indices into a single row, cannot be anything else.
void neverAllZero(HostTensor& tensor, const Distribution& distribution) {
  const bool integers = distribution.kind == Distribution::Kind::Integers;
  const bool onlyZero = distribution.kind == Distribution::Kind::Permutation ||
                        (integers && tensor.spec->distribution.high && distribution.b == 1);
  if (onlyZero || !isAllZero(tensor)) return;
  const double largest = integers ? distribution.b - 1 : distribution.b;
  storeElement(tensor.dtype, tensor.bytes.data(), distribution.a != 0 ? distribution.a : largest);
  if (isAllZero(tensor))
    throw BadInput(
        fmt::format("The values of {} all round to zero in {}", tensor.spec->name, nameOf(tensor.dtype)),
        "Choose a wider distribution.", tensor.spec->place);
}

// An allocation that the machine cannot back succeeds and kills the process later, when it is written.
void checkHostMemory(std::uint64_t needed) {
  std::ifstream stream("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kilobytes = 0;
  while (stream >> name >> kilobytes) {
    std::getline(stream, unit);
    if (name != "MemAvailable:") continue;
    if (needed > kilobytes * 1024)
      throw OutOfMemory(fmt::format("The inputs take {} of this machine's memory; {} are free",
                                    formatBytes(static_cast<double>(needed)),
                                    formatBytes(static_cast<double>(kilobytes) * 1024)),
                        "Choose a smaller workload.");
    return;
  }
}

}  // namespace

std::map<std::string, HostTensor> makeInputs(const Problem& problem) {
  std::map<std::string, HostTensor> inputs;
  std::uint64_t bytes = 0;
  for (const TensorSpec& spec : problem.op->tensors) {
    if (spec.output) continue;
    HostTensor tensor{&spec, spec.dtype.value_or(problem.dtype), shapeOf(problem, spec), {}};
    bytes += static_cast<std::uint64_t>(tensor.elements()) * bytesOf(tensor.dtype);
    inputs.emplace(spec.name, std::move(tensor));
  }
  checkHostMemory(bytes);
  for (auto& [name, tensor] : inputs) {
    try {
      resizeLarge(tensor.bytes, static_cast<std::size_t>(tensor.elements()) * bytesOf(tensor.dtype));
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(fmt::format("The inputs take {} of this machine's memory, which it does not have",
                                    formatBytes(static_cast<double>(bytes))),
                        "Choose a smaller workload.");
    }
    const Distribution distribution = distributionOf(problem, *tensor.spec);
    fillTensor(tensor, distribution, problem.seed);
    neverAllZero(tensor, distribution);
  }
  return inputs;
}

}  // namespace opscope
