// SPDX-License-Identifier: Apache-2.0
#include "cuda/launch_apis.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;
using namespace opscope::cuda;

TEST_CASE("API names lose what only CUPTI puts into them") {
  CHECK(plainApiName("cudaLaunchKernelExC_v11060") == "cudaLaunchKernelExC");
  CHECK(plainApiName("cudaLaunchKernel_ptsz_v7000") == "cudaLaunchKernel");
  CHECK(plainApiName("__cudaLaunchKernel_v13000") == "cudaLaunchKernel");
  CHECK(plainApiName("cuMemcpyHtoDAsync_v2_ptsz") == "cuMemcpyHtoDAsync");
  CHECK(plainApiName("cuLaunchKernel") == "cuLaunchKernel");
  CHECK(plainApiName("cu_v") == "cu_v");
  CHECK(plainApiName("").empty());
}

TEST_CASE("only what puts work into a stream is a launch") {
  CHECK(launchKindOf("cudaLaunchKernelExC_v11060") == LaunchKind::Kernel);
  CHECK(launchKindOf("__cudaLaunchKernel_ptsz_v13000") == LaunchKind::Kernel);
  CHECK(launchKindOf("cudaLaunchCooperativeKernel_v9000") == LaunchKind::Kernel);
  CHECK(launchKindOf("cuLaunchKernelEx_ptsz") == LaunchKind::Kernel);
  CHECK(launchKindOf("cuLaunchGridAsync") == LaunchKind::Kernel);
  CHECK(launchKindOf("cudaGraphLaunch_v10000") == LaunchKind::Graph);
  CHECK(launchKindOf("cuGraphLaunch") == LaunchKind::Graph);
  CHECK(launchKindOf("cudaMemcpyAsync_v3020") == LaunchKind::Copy);
  CHECK(launchKindOf("cu64MemcpyDtoD") == LaunchKind::Copy);
  CHECK(launchKindOf("cuMemcpyBatchAsync_v2") == LaunchKind::Copy);
  CHECK(launchKindOf("cudaMemsetAsync_v3020") == LaunchKind::Set);
  CHECK(launchKindOf("cuMemsetD32Async_ptsz") == LaunchKind::Set);

  CHECK_FALSE(launchKindOf("cudaLaunchHostFunc_v10000").has_value());
  CHECK_FALSE(launchKindOf("cuLaunchHostFunc_ptsz").has_value());
  CHECK_FALSE(launchKindOf("cudaGraphAddMemcpyNode_v10000").has_value());
  CHECK_FALSE(launchKindOf("cuGraphExecMemsetNodeSetParams").has_value());
  CHECK_FALSE(launchKindOf("cudaStreamSynchronize_v3020").has_value());
  CHECK_FALSE(launchKindOf("cuCtxGetCurrent").has_value());
  CHECK_FALSE(launchKindOf("").has_value());
}
