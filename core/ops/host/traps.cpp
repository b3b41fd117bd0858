// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

using Kernel = std::function<void()>;

Kernel twice(const host::Tensor& from, const host::Tensor& to) {
  return [x = elementsOf<float>(from), y = elementsOf<float>(to), n = from.elements()] {
    for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
  };
}

Kernel same(const host::Tensor& from, const host::Tensor& to) {
  return [x = elementsOf<float>(from), y = elementsOf<float>(to), n = from.elements()] {
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i];
  };
}

// Computes first and then keeps its stream busy, so that two of them overlap for certain.
Kernel twiceSlowly(const host::Tensor& from, const host::Tensor& to, std::int64_t microseconds) {
  return [run = twice(from, to), microseconds] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    run();
    while (std::chrono::steady_clock::now() < end) {
    }
  };
}

void offThread(host::CallContext& context) {
  Kernel kernel = twice(context.tensor("x"), context.tensor("y"));
  std::jthread([&] { context.launch("twice", std::move(kernel)); });
}

void hostSleep(host::CallContext& context) {
  context.launch("twice", twice(context.tensor("x"), context.tensor("between")));
  std::this_thread::sleep_for(std::chrono::microseconds(context.integer("sleep_us")));
  context.launch("same", same(context.tensor("between"), context.tensor("y")));
}

void dependency(host::CallContext& context) {
  context.launch("twice_slowly",
                 twiceSlowly(context.tensor("x"), context.tensor("between"), context.integer("spin_us")));
  context.launch("same", same(context.tensor("between"), context.tensor("y")));
}

void copyBetween(host::CallContext& context) {
  context.launch("twice", twice(context.tensor("x"), context.tensor("between")));
  context.copy(context.tensor("copied"), context.tensor("between"));
  context.launch("same", same(context.tensor("copied"), context.tensor("y")));
}

void twoStreams(host::CallContext& context) {
  const std::int64_t microseconds = context.integer("spin_us");
  context.launch("twice_slowly", twiceSlowly(context.tensor("x"), context.tensor("y"), microseconds), 0);
  context.launch("twice_slowly", twiceSlowly(context.tensor("x"), context.tensor("z"), microseconds), 1);
}

void synchronise(host::CallContext& context) {
  context.launch("twice", twice(context.tensor("x"), context.tensor("between")));
  context.synchronise();
  context.launch("same", same(context.tensor("between"), context.tensor("y")));
}

void wrongInOnePlace(host::CallContext& context) {
  const host::Tensor &x = context.tensor("x"), &y = context.tensor("y");
  context.launch("twice_but_once", [run = twice(x, y), to = elementsOf<float>(y), n = x.elements()] {
    run();
    to[n / 2] += 1;
  });
}

void referenceSame(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                   std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double value = elementOf(x, indices[i]);
    values[i] = {value, std::abs(value)};
  }
}

void referenceTwice(const ReferenceInput& input, const std::string& output,
                    std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  referenceSame(input, output, indices, values);
  for (ReferenceValue& value : values) value = {2 * value.value, 2 * value.magnitude};
}

}  // namespace

void registerTraps(HostOps& ops) {
  ops.reference("same", referenceSame);
  ops.reference("twice", referenceTwice);
  ops.function("trap.twice", [](host::CallContext& context) {
    context.launch("twice", twice(context.tensor("x"), context.tensor("y")));
  });
  ops.function("trap.off_thread", offThread);
  ops.function("trap.no_kernel", [](host::CallContext&) {});
  ops.function("trap.copy_only",
               [](host::CallContext& context) { context.copy(context.tensor("y"), context.tensor("x")); });
  ops.function("trap.host_sleep", hostSleep);
  ops.function("trap.dependency", dependency);
  ops.function("trap.copy_between", copyBetween);
  ops.function("trap.two_streams", twoStreams);
  ops.function("trap.synchronise", synchronise);
  ops.function("trap.wrong_result", wrongInOnePlace);
}

}  // namespace opscope
