// SPDX-License-Identifier: Apache-2.0
#include "synthetic_trace.h"

#include <fmt/format.h>

#include <iterator>
#include <random>

namespace opscope::bench {
namespace {

constexpr const char* kKernelNames[] = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, "
    "3>)",
    "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
    "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, false, "
    "false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int, bool const*, int, bool)",
    "triton_poi_fused_add_native_layer_norm_0"};

class Events {
 public:
  explicit Events(std::string& text) : text_(text) {}
  std::uint64_t count = 0;

  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    text_ += count++ == 0 ? "  {\n" : ",\n  {\n";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += "\n  }";
  }

 private:
  std::string& text_;
};

std::string us(std::int64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace

std::uint64_t writeSyntheticTrace(std::uint64_t bytes, const std::function<void(std::string_view)>& write) {
  std::mt19937_64 random(1);
  std::string text =
      "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"Synthetic "
      "GPU\"\n    }\n"
      "  ],\n  \"traceEvents\": [\n";
  Events events(text);
  std::uint64_t written = 0;
  std::int64_t host = 1'712'195'495'500'000'000, device = host;
  std::uint64_t correlation = 1;
  for (std::uint64_t unit = 0; written + text.size() < bytes; ++unit) {
    if (unit % 1000 == 0)
      events.add(
          R"x(    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "pid": 1102, "tid": 1102,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {}, "Ev Idx": {}
    }})x",
          unit / 1000, us(host), us(1000 * 40'000), unit, unit);
    const std::int64_t began = host;
    for (int op = 0; op < 4; ++op, host += 2'000)
      events.add(R"x(    "ph": "X", "cat": "cpu_op", "name": "aten::{}", "pid": 1102, "tid": 1102,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {},"Record function id": 0, "Concrete Inputs": ["", "", "1"], "Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar"], "Input Dims": [[8, 1024, 4096], [4096], []], "Ev Idx": {}
    }})x",
                 op == 0 ? "add" : "empty_strided", us(host), us(9'000 + op), unit, events.count);
    for (int call = 0; call < 2; ++call, host += 3'000, ++correlation) {
      events.add(
          R"x(    "ph": "X", "cat": "cuda_runtime", "name": "cudaStreamIsCapturing", "pid": 1102, "tid": 1102,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {}, "cbid": 317, "correlation": {}
    }})x",
          us(host), us(700), unit, correlation);
      events.add(R"x(    "ph": "f", "id": {}, "pid": 1102, "tid": 1102, "ts": {},
    "cat": "ac2g", "name": "ac2g", "bp": "e")x",
                 correlation, us(host));
    }
    const std::int64_t length = 2'000 + static_cast<std::int64_t>(random() % 40'000);
    device = std::max(host + 9'000, device + static_cast<std::int64_t>(random() % 3'000));
    const bool copy = unit % 8 == 7;
    events.add(R"x(    "ph": "X", "cat": "cuda_runtime", "name": "{}", "pid": 1102, "tid": 1102,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {}, "cbid": 211, "correlation": {}
    }})x",
               copy ? "cudaMemcpyAsync" : "cudaLaunchKernel", us(host), us(4'200), unit, correlation);
    events.add(R"x(    "ph": "s", "id": {}, "pid": 1102, "tid": 1102, "ts": {},
    "cat": "ac2g", "name": "ac2g")x",
               correlation, us(host));
    if (copy)
      events.add(
          R"x(    "ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoD (Device -> Device)", "pid": 0, "tid": 7,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {}, "device": 0, "context": 1, "stream": 7, "correlation": {}, "bytes": 8388608, "memory bandwidth (GB/s)": 1024.2150101419878
    }})x",
          us(device), us(length), unit, correlation);
    else
      events.add(R"x(    "ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7,
    "ts": {}, "dur": {},
    "args": {{
      "External id": {},      "queued": 0, "device": 0, "context": 1,      "stream": 7, "correlation": {},      "registers per thread": 30,      "shared memory": 0,      "blocks per SM": 5.300000,      "warps per SM": 21.200001,      "grid": [{}, 106, 1],      "block": [128, 1, 1],      "est. achieved occupancy %": 33
    }})x",
                 kKernelNames[unit % std::size(kKernelNames)], us(device), us(length), unit, correlation,
                 1 + unit % 64);
    events.add(R"x(    "ph": "f", "id": {}, "pid": 0, "tid": 7, "ts": {},
    "cat": "ac2g", "name": "ac2g", "bp": "e")x",
               correlation, us(device));
    device += length;
    host = began + 40'000;
    ++correlation;
    if (text.size() < (std::size_t{1} << 20)) continue;
    write(text);
    written += text.size();
    text.clear();
  }
  text += "\n  ],\n  \"traceName\": \"synthetic.json\"\n}\n";
  write(text);
  return events.count;
}

}  // namespace opscope::bench
