// SPDX-License-Identifier: Apache-2.0
#include "engine/ceilings.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace opscope;

namespace {

CatalogueInfo catalogue() {
  CatalogueInfo info;
  const auto add = [&info](const char* name, std::vector<std::string> dtypes,
                           std::vector<CatalogueInfo::Implementation> implementations) {
    CatalogueInfo::Op op;
    op.name = name;
    op.dtypes = std::move(dtypes);
    op.implementations = std::move(implementations);
    info.ops.push_back(std::move(op));
  };
  add("add", {"float32"}, {{"vectorised", "", {"cuda", "host"}}});
  add("copy", {"bfloat16", "float32"}, {{"vectorised", "", {"cuda", "host"}}, {"scalar", "", {"cuda"}}});
  add("triad", {"float32"}, {{"vectorised", "", {"cuda", "host"}}, {"scalar", "", {"cuda"}}});
  add("gemm", {"bfloat16", "float32"},
      {{"tiled", "", {"cuda", "host"}}, {"cublaslt", "", {"cuda"}}, {"naive", "", {"host"}}});
  add("gemm_fp8", {"float8_e4m3fn"}, {{"cublaslt", "", {"cuda"}}});
  return info;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a GPU's ceilings are copy and triad in tensors of several L2, and large products by the library") {
  DeviceInfo device;
  device.kind = "cuda";
  device.l2Bytes = std::int64_t{60} << 20;
  device.memoryBytes = std::int64_t{140} << 30;
  Job base;
  base.device = "cuda:1";
  const auto jobs = ceilingJobs(catalogue(), device, base);
  REQUIRE(jobs.size() == 5);
  CHECK(jobs[0].op == "copy");
  CHECK(jobs[1].op == "triad");
  for (const Job& job : {jobs[0], jobs[1]}) {
    CHECK(job.device == "cuda:1");
    CHECK(job.dtype == "float32");
    // 8 x 60 MiB are 480 MiB; the power of two above is 512 MiB, of 4-byte elements.
    CHECK(job.dims.at("n") == (std::int64_t{512} << 20) / 4);
    CHECK(job.implementations == Words{"vectorised", "scalar"});
    CHECK(job.protocol.l2 == L2Mode::Clean);
  }
  CHECK(jobs[2].dtype == "bfloat16");
  CHECK(jobs[3].dtype == "float32");
  CHECK(jobs[2].implementations == Words{"cublaslt"});
  CHECK(jobs[2].dims == std::map<std::string, std::int64_t>{
                            {"m", 8192}, {"n", 8192}, {"k", 8192}, {"trans_a", 0}, {"trans_b", 1}});
  CHECK(jobs[4].op == "gemm_fp8");
  CHECK_FALSE(jobs[4].dims.contains("trans_a"));
}

TEST_CASE("a small device's tensors fit into its memory") {
  DeviceInfo device;
  device.kind = "cuda";
  device.l2Bytes = std::int64_t{96} << 20;
  device.memoryBytes = std::int64_t{3} << 30;
  // 8 x 96 MiB would be 1 GiB; a twelfth of 3 GiB are 256 MiB.
  CHECK(ceilingJobs(catalogue(), device, {}).at(0).dims.at("n") == (std::int64_t{256} << 20) / 4);
}

TEST_CASE("a host's ceilings are by what it has, in sizes that it can do") {
  DeviceInfo device;
  device.kind = "host";
  device.l2Bytes = std::int64_t{300} << 20;
  const auto jobs = ceilingJobs(catalogue(), device, {});
  REQUIRE(jobs.size() == 4);  // no fp8
  CHECK(jobs[0].dims.at("n") == (std::int64_t{64} << 20) / 4);
  CHECK(jobs[0].implementations == Words{"vectorised"});
  CHECK(jobs[2].implementations == Words{"tiled"});
  CHECK(jobs[2].dims.at("k") == 512);
  CHECK(ceilingJobs({}, device, {}).empty());
}
