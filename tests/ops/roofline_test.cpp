// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/op_families.h"
#include "ops/built_in.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"

using namespace opscope;
using opscope::testing::builtIn;

// What every built-in op claims, worked out by hand: the operations of one call as its field counts them, and
// the bytes of everything it has to read and write, once. Each figure is what the comment above it says in
// words.

namespace {

struct Claim {
  const char* op;
  const char* workload;
  DType dtype;
  double flops;
  double bytes;
};

constexpr DType kBf16 = DType::BFloat16;
constexpr DType kF16 = DType::Float16;
constexpr DType kF32 = DType::Float32;

const std::vector<Claim> kClaims{
    // 2048 x 4096 = 8,388,608 elements; two operations each, as the field's tables count; three tensors of 2
    // bytes.
    {"add", "hidden-state-prefill", kBf16, 16'777'216, 50'331'648},
    // One product each; three tensors of 4 bytes.
    {"mul", "hidden-state-prefill", kF32, 8'388'608, 100'663'296},
    // 16,777,216 elements, read and written: 64 MiB in 2 bytes, 128 MiB in 4.
    {"relu", "elementwise-16M", kBf16, 16'777'216, 67'108'864},
    {"relu_squared", "llama-8b-ffn-prefill", kBf16, 58'720'256, 117'440'512},
    {"exp", "elementwise-16M", kF32, 16'777'216, 134'217'728},
    {"clamp", "elementwise-16M", kF16, 16'777'216, 67'108'864},
    // Negate, exp, add, divide.
    {"sigmoid", "elementwise-16M", kBf16, 67'108'864, 67'108'864},
    // 14,336 elements: the sigmoid's four and a product; 28,672 bytes in and out.
    {"silu", "llama-8b-ffn-decode", kBf16, 71'680, 57'344},
    {"gelu", "llama-8b-ffn-decode", kF16, 71'680, 57'344},
    // The same and another product; two halves read, one written.
    {"silu_and_mul", "llama-8b-swiglu-decode", kBf16, 86'016, 86'016},
    // 4,194,304 elements of 2 bytes, in and out.
    {"dropout", "tokens-1k-hidden-4k", kF16, 4'194'304, 16'777'216},

    // Nothing is computed; 16,777,216 elements of 4 bytes, in and out.
    {"copy", "elementwise-16M", kF32, 0, 134'217'728},
    // A product and a sum each; two tensors in, one out.
    {"triad", "elementwise-16M", kF32, 33'554'432, 201'326'592},
    // 4096 x 4096 elements of 2 bytes, in and out.
    {"transpose", "square-4k", kBf16, 0, 67'108'864},
    // 64 rows of 4096 x 2 bytes are 524,288, in and out; 64 ids of 8 bytes. The rest of the table is not
    // read.
    {"embedding", "llama-8b-decode", kBf16, 0, 1'048'576 + 512},

    // 64 x 32,768 = 2,097,152 elements of 4 bytes, in and out; a sum each.
    {"cumsum", "long-seq-scan", kF32, 2'097'152, 16'777'216},

    // 2048 rows of 4096: 8,388,608 elements of 2 bytes in, 2048 out. One, one and one operation each;
    {"sum", "hidden-state-reduce", kBf16, 8'388'608, 16'777'216 + 4'096},
    {"mean", "hidden-state-reduce", kBf16, 8'388'608, 16'777'216 + 4'096},
    {"max", "hidden-state-reduce", kBf16, 8'388'608, 16'777'216 + 4'096},
    // subtract, square, add;
    {"var", "hidden-state-reduce", kBf16, 25'165'824, 16'777'216 + 4'096},
    // square, add.
    {"vector_norm", "hidden-state-reduce", kBf16, 16'777'216, 16'777'216 + 4'096},
    // 4 rows of 102,400, a comparison each; 4 places of 8 bytes.
    {"argmax", "lm-head-argmax", kBf16, 409'600, 819'200 + 32},
    // The same rows; 4 x 64 places of 4 bytes.
    {"topk", "lm-head-64", kBf16, 409'600, 819'200 + 1'024},
    // 4096 x 1024 = 4,194,304 elements, a comparison each as for topk; in and out in 2 bytes, places in 4.
    {"sort", "candidates-1k", kBf16, 4'194'304, 33'554'432},
    // 1024 x 4096 = 4,194,304 elements: maximum, subtract, exp, sum and the division, or subtraction, of the
    // log.
    {"softmax", "attn-weights-4k", kBf16, 20'971'520, 16'777'216},
    {"log_softmax", "attn-weights-4k", kF32, 20'971'520, 33'554'432},

    // Square, add, scale, weight; 8,388,608 elements in and out and 4096 weights, in 2 bytes.
    {"rms_norm", "llama-8b-prefill", kBf16, 33'554'432, 33'554'432 + 8'192},
    // One row of 4096 and the sum before it; two rows in, two out, one of weights: five of 8,192 bytes.
    {"fused_add_rms_norm", "llama-8b-decode", kBf16, 20'480, 40'960},
    // Five as its field counts; the row in and out, weights and biases: four rows of 8,192 bytes.
    {"layer_norm", "llama-8b-decode", kBf16, 20'480, 32'768},
    // 8 x 64 x 1024 = 524,288 elements, ten operations as its field counts; in and out in 2 bytes; weight,
    // bias, mean
    // and deviation of 64 channels in 4.
    {"batch_norm", "resnet50-stage1", kF16, 5'242'880, 2'097'152 + 1'024},
    // 2 x 640 x 1024 = 1,310,720 elements, five each; in and out in 2 bytes, and 640 weights and biases.
    {"group_norm", "sd-unet-32", kF16, 6'553'600, 5'242'880 + 2'560},
    // 2048 places of 32 pairs, eight operations for each pair; 131,072 elements in and out, two tables of
    // 65,536.
    {"rope_neox", "neox-1d-2k-d64", kF16, 524'288, 524'288 + 262'144},

    // 256 x 256 results of 256 products, two operations each; three matrices of 65,536 elements in 2 bytes.
    {"gemm", "square-256-nn", kBf16, 33'554'432, 393'216},
    // Eight of 128 x 128 x 128; 8 x 3 x 16,384 elements in 2 bytes.
    {"bmm", "small-b8-128", kBf16, 33'554'432, 786'432},
    // 128 x 7168 = 917,504 results of 2048 products; 262,144 and 14,680,064 bytes in, 1,835,008 out, two
    // scales.
    {"gemm_fp8", "ds-v3-decode-down-per-tensor", DType::Float8E4M3, 3'758'096'384.0,
     262'144 + 14'680'064 + 1'835'008 + 8},
    // 512 x 1536 results of 2048 products. 512 rows of 2048 x 2 bytes, 128 experts' weights of 1536 x 2048 x
    // 2 (each
    // has rows), 512 rows of 1536 x 2; 129 offsets of 8.
    {"grouped_gemm", "qwen3-30b-decode-gate-up", kBf16, 3'221'225'472.0,
     2'097'152 + 805'306'368.0 + 1'572'864 + 1'032},
    // Five rows of 40 reach five of nine experts: 5 x 34 x 40 products; rows of 80 bytes, weights of 2,720
    // bytes, results
    // of 68; ten offsets.
    {"grouped_gemm", "tiny-few", kF16, 13'600, 400 + 13'600 + 340 + 80},
    // 4 x 32 heads of 512 x 512 scores, of which causality needs half: 16,777,216, each of 128 products twice
    // over
    // (q k and p v), two operations a product. Four tensors of 8,388,608 elements in 2 bytes.
    {"mha_prefill", "llama-8b-short", kBf16, 8'589'934'592.0, 67'108'864},
    // The exact triangle, 512 x 513 / 2 = 131,328 scores for each of 128 heads, 512 operations each. q and y
    // as above,
    // k and v of 8 heads: 2,097,152 elements each.
    {"gqa_prefill", "llama-8b-prefill-dense", kBf16, 131'328.0 * 128 * 512,
     (2 * 8'388'608 + 2 * 2'097'152) * 2.0},
    // 32 x 32 queries see 4096 keys: 4,194,304 scores, 512 operations each. k and v are 536,870,912 elements
    // each,
    // q and y 131,072.
    {"mha_decode", "llama-8b-4k", kBf16, 2'147'483'648.0, (2 * 536'870'912.0 + 2 * 131'072) * 2},
    // The same scores; a quarter of the keys and values.
    {"gqa_decode", "llama-8b-4k", kBf16, 2'147'483'648.0, (2 * 134'217'728.0 + 2 * 131'072) * 2},

    // 64 rows of 256 logits in 2 bytes, five operations each; 512 weights and 512 ids of 4 bytes.
    {"moe_gate", "deepseek-v3-decode", kBf16, 81'920, 32'768 + 4'096},
    // 32 rows in and 256 out, of 7168 x 2 bytes: 288 x 14,336. 256 ids and 256 places of 4 bytes, 385 offsets
    // and 384
    // sizes of 8.
    {"moe_permute", "kimi-k2-small", kBf16, 0, 288 * 14'336 + 2'048 + 3'080 + 3'072},
    // 256 rows in and 32 out; 256 x 7168 elements weighted and added; 256 places and weights of 4 bytes.
    {"moe_unpermute", "large-hidden-small", kBf16, 3'670'016, 288 * 14'336 + 2'048},

    // 224 x 224 in, 112 x 112 windows of 4 out, in each of 1024 planes: 50,176 + 12,544 elements of 2 bytes.
    {"max_pool2d", "vgg-2x2", kF16, 1024.0 * 12'544 * 4, 1024.0 * 62'720 * 2},
    // 2 x 64 x 56 x 56 = 401,408 results of 64 x 9 products; as many in, as many out, and 36,864 weights.
    {"conv2d", "resnet-3x3", kF16, 401'408.0 * 576 * 2, (401'408 + 36'864 + 401'408) * 2.0},
    // 4096 complex points: 5 N log2 N, with log2 4096 = 12; 8 bytes a point, in and out.
    {"fft_c2c", "fft-4k-c64-unbatched", kF32, 245'760, 65'536},

    // 4096 elements of 2 bytes in and 1 out, six operations each and one for the scale of 4 bytes.
    {"quantize_int8", "llama-8b-decode", kBf16, 24'577, 12'288 + 4},
    // 8192 rows of 64: 524,288 elements, 8192 scales.
    {"quantize_fp8", "kv-index-8k-d64", kBf16, 3'145'728 + 8'192, 1'572'864 + 32'768},

    // What is made to fail: n elements of 4 bytes, and how often its kernels move them.
    {"trap_off_thread", "small", kF32, 65'536, 524'288},
    {"trap_no_kernel", "small", kF32, 65'536, 524'288},
    {"trap_copy_only", "small", kF32, 0, 524'288},
    {"trap_host_sleep", "small", kF32, 65'536, 1'048'576},     // twice in and out
    {"trap_dependency", "small", kF32, 4'096, 65'536},         // twice
    {"trap_copy_between", "small", kF32, 262'144, 6'291'456},  // a copy between two kernels: three times
    {"trap_two_streams", "small", kF32, 8'192, 49'152},        // one in, two out
    {"trap_overlap", "small", kF32, 8'192, 49'152},
    {"trap_synchronise", "small", kF32, 65'536, 1'048'576},  // twice
    {"trap_graph", "small", kF32, 65'536, 2'097'152},        // four times
    {"trap_wrong_result", "small", kF32, 32'768, 262'144},
    {"crash_endless", "first-call", kF32, 4'096, 32'768},
    {"crash_abort", "first-call", kF32, 4'096, 32'768},
    {"crash_out_of_bounds", "small", kF32, 4'096, 32'768},
    {"crash_too_large", "small", kF32, 4'096, 32'768},
};

double tensorBytes(const Problem& problem, const TensorSpec& tensor) {
  double bytes = static_cast<double>(bytesOf(tensor.dtype.value_or(problem.dtype)));
  for (const std::int64_t size : shapeOf(problem, tensor)) bytes *= static_cast<double>(size);
  return bytes;
}

}  // namespace

TEST_CASE("every built-in op claims what was worked out by hand", "[ops]") {
  std::set<std::string> claimed;
  for (const Claim& claim : kClaims) {
    CAPTURE(claim.op, claim.workload, nameOf(claim.dtype));
    const Problem problem = makeProblem(builtIn().op(claim.op), claim.workload, claim.dtype, {}, 1);
    CHECK(problem.flops == claim.flops);
    CHECK(problem.bytes == claim.bytes);
    claimed.insert(claim.op);
  }
  for (const OpSpec& op : builtIn().ops()) {
    CAPTURE(op.name);
    CHECK(claimed.contains(op.name));
  }
}

TEST_CASE("every claim of bytes is each input once and each output once, for every workload and dtype",
          "[ops]") {
  // What an op does not have to read, and why.
  const std::map<std::string, std::string> kExcept{
      {"embedding", "reads the rows that are asked for, not the table"},
      {"grouped_gemm", "reads the weights of the experts that have rows"}};
  int compared = 0;
  for (const OpSpec& op : builtIn().ops()) {
    if (isMadeToFail(op.family) || kExcept.contains(op.name)) continue;
    for (const WorkloadSpec& workload : op.workloads)
      for (const DType dtype : workload.dtypes) {
        const Problem problem = makeProblem(op, workload.label, dtype, {}, 1);
        double bytes = 0;
        for (const TensorSpec& tensor : op.tensors) bytes += tensorBytes(problem, tensor);
        CAPTURE(op.name, workload.label, nameOf(dtype));
        CHECK(problem.bytes == bytes);
        CHECK(problem.flops >= 0);
        ++compared;
      }
  }
  CHECK(compared > 300);
}
