// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "ops/host/host_ops.h"

namespace opscope {
namespace {

[[noreturn]] void sleepForEver() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Counted over the process: whoever gets here once does not come back.
bool isDue(const host::CallContext& context) {
  static std::atomic<std::int64_t> calls = 0;
  return calls++ >= context.integer("after");
}

void twice(host::CallContext& context) {
  const host::Tensor &from = context.tensor("x"), &to = context.tensor("y");
  context.launch("twice", [x = elementsOf<float>(from), y = elementsOf<float>(to), n = from.elements()] {
    for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
  });
}

void endlessKernel(host::CallContext& context) {
  if (isDue(context)) context.launch("for_ever", sleepForEver);
  twice(context);
}

void endlessCall(host::CallContext& context) {
  if (isDue(context)) sleepForEver();
  twice(context);
}

void abortInCall(host::CallContext& context) {
  if (isDue(context)) std::abort();
  twice(context);
}

// Not behind the tensor, where other memory may lie: nothing is ever mapped in the first page.
volatile std::uintptr_t nowhere = 64;

void stray(host::CallContext& context) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a wild pointer is the point
  context.launch("stray", [] { *reinterpret_cast<volatile float*>(nowhere) = 1; });
}

}  // namespace

void registerCrashes(HostOps& ops) {
  ops.function("crash.endless_kernel", endlessKernel);
  ops.function("crash.endless_call", endlessCall);
  ops.function("crash.abort", abortInCall);
  ops.function("crash.stray", stray);
}

}  // namespace opscope
