// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace opscope::test {

/// The published rows of an op that ours stand beside.
struct PublishedOp {
  std::string op;
  /// Labels that ours has no workload for, and why; parts of labels.
  std::vector<std::string> without;
};

inline const std::map<std::string, PublishedOp> kPublishedOps{
    {"GemmFwdOp", {"gemm", {}}},
    {"RMSNormFwdOp", {"rms_norm", {}}},
    {"FusedAddRMSNormFwdOp", {"fused_add_rms_norm", {}}},
    {"LayerNormFwdOp", {"layer_norm", {}}},
    {"BatchNormFwdOp", {"batch_norm", {}}},
    {"AddFwdOp", {"add", {}}},
    {"GeluFwdOp", {"gelu", {}}},
    {"SigmoidFwdOp", {"sigmoid", {}}},
    {"ClampScalarFwdOp", {"clamp", {}}},
    {"SiluAndMulFwdOp", {"silu_and_mul", {}}},
    {"SoftmaxFwdOp", {"softmax", {}}},
    {"LogSoftmaxFwdOp", {"log_softmax", {}}},
    {"SumFwdOp", {"sum", {"dim0", "multidim"}}},  // ours reduces rows
    {"ArgmaxFwdOp", {"argmax", {"non-last-axis"}}},
    {"CumsumFwdOp", {"cumsum", {}}},
    {"FP8QuantFwdOp", {"quantize_fp8", {}}},
    {"BmmFwdOp", {"bmm", {}}},
    {"GemmFp8FwdOp", {"gemm_fp8", {"block128", "bias"}}},  // ours has one scale per tensor and no bias
    {"MultiHeadAttentionFwdOp", {"mha_prefill", {}}},
    {"MultiHeadAttentionDecodeWithKVCacheFwdOp", {"mha_decode", {}}},
    {"GroupedQueryAttentionDecodeWithKVCacheFwdOp", {"gqa_decode", {"softcap"}}},
    {"RopeNeoxFwdOp", {"rope_neox", {}}},
    {"MoePermuteNopadFwdOp", {"moe_permute", {"-ep2-"}}},  // ours has all experts in one place
    {"MoeUnpermuteFwdOp", {"moe_unpermute", {}}},
    {"DropoutFwdOp", {"dropout", {}}},
    {"FFTC2CFwdOp", {"fft_c2c", {"complex128"}}},
    {"Conv2dFwdOp", {"conv2d", {"bias", "depthwise", "grouped"}}},
};

/// One published measurement of a workload that is ours, too, in the words of our catalogue.
struct PublishedRow {
  std::string op;
  std::string workload;
  std::string dtype;
  std::string implementation;
  double busyMs = 0;
  double flops = 0;
  double bytes = 0;
};

/// Splits a line of RFC 4180 without line breaks inside fields.
inline std::vector<std::string> fieldsOf(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

/// The lines of a CSV file by the names of their columns; none when it cannot be read.
inline std::vector<std::map<std::string, std::string>> csvRows(const std::filesystem::path& path) {
  std::vector<std::map<std::string, std::string>> rows;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = fieldsOf(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fieldsOf(line);
    REQUIRE(fields.size() == header.size());
    std::map<std::string, std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[header[i]] = fields[i];
  }
  return rows;
}

/// The published rows that have a workload here; empty where the file is not ($OPSCOPE_SHARED_DATA, else
/// shared/data beside the sources).
inline std::vector<PublishedRow> publishedRows() {
  const char* folder = std::getenv("OPSCOPE_SHARED_DATA");
  const std::filesystem::path data =
      folder != nullptr ? folder : std::filesystem::path(OPSCOPE_SOURCE_DIR) / ".." / "shared" / "data";
  std::vector<PublishedRow> rows;
  for (const auto& row : csvRows(data / "tileops_h200_rows.csv")) {
    const auto known = kPublishedOps.find(row.at("op"));
    if (known == kPublishedOps.end()) continue;
    const std::string label = row.at("workload/shape").substr(0, row.at("workload/shape").find(" |"));
    const auto& [op, without] = known->second;
    if (std::any_of(without.begin(), without.end(),
                    [&](const std::string& part) { return label.find(part) != std::string::npos; }))
      continue;
    const std::string dtype = row.at("dtype") == "complex64" ? "float32" : row.at("dtype");
    rows.push_back({op, label, dtype, row.at("impl tag"), std::stod(row.at("device_busy_ms")),
                    std::stod(row.at("flops")), std::stod(row.at("bytes"))});
  }
  return rows;
}

}  // namespace opscope::test
