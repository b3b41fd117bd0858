// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "cuda/cudnn_api.h"
#include "cuda/cudnn_call.h"

#if __has_include(<cudnn.h>)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cudnn.h>
#endif

using namespace opscope;
using namespace opscope::cuda;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("cuDNN says its version and file, or that it is not there") {
  try {
    CHECK_THAT(cudnn::describe(), ContainsSubstring("9.") && ContainsSubstring("libcudnn"));
  } catch (const NotSupported& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("libcudnn.so.9"));
    CHECK_THAT(error.info().remedy, ContainsSubstring("CUDNN_PATH"));
  }
}

TEST_CASE("cuDNN's operations are known by name") {
  for (const char* name : {"cudnn.conv2d", "cudnn.max_pool2d", "cudnn.softmax", "cudnn.log_softmax",
                           "cudnn.batch_norm", "cudnn.sum", "cudnn.mean", "cudnn.max", "cudnn.vector_norm"})
    CHECK(isCudnnCall(name));
  for (const char* name : {"", "cudnn", "cudnn.", "cudnn.conv", "cublaslt.gemm"})
    CHECK_FALSE(isCudnnCall(name));
}

// What is written down here of cuDNN's interface is what its headers say.
TEST_CASE("the numbers of cuDNN's interface are its headers'") {
#if __has_include(<cudnn.h>)
  CHECK(static_cast<int>(cudnn::DataType::Float) == CUDNN_DATA_FLOAT);
  CHECK(static_cast<int>(cudnn::DataType::Half) == CUDNN_DATA_HALF);
  CHECK(static_cast<int>(cudnn::DataType::BFloat16) == CUDNN_DATA_BFLOAT16);
  CHECK(static_cast<int>(cudnn::Format::Nchw) == CUDNN_TENSOR_NCHW);
  CHECK(static_cast<int>(cudnn::ConvolutionMode::CrossCorrelation) == CUDNN_CROSS_CORRELATION);
  CHECK(static_cast<int>(cudnn::MathType::TensorOp) == CUDNN_TENSOR_OP_MATH);
  CHECK(static_cast<int>(cudnn::PoolingMode::Max) == CUDNN_POOLING_MAX);
  CHECK(static_cast<int>(cudnn::NanPropagation::Propagate) == CUDNN_PROPAGATE_NAN);
  CHECK(static_cast<int>(cudnn::SoftmaxAlgorithm::Accurate) == CUDNN_SOFTMAX_ACCURATE);
  CHECK(static_cast<int>(cudnn::SoftmaxAlgorithm::Log) == CUDNN_SOFTMAX_LOG);
  CHECK(static_cast<int>(cudnn::SoftmaxMode::Instance) == CUDNN_SOFTMAX_MODE_INSTANCE);
  CHECK(static_cast<int>(cudnn::BatchNormMode::Spatial) == CUDNN_BATCHNORM_SPATIAL);
  CHECK(static_cast<int>(cudnn::ReduceOp::Add) == CUDNN_REDUCE_TENSOR_ADD);
  CHECK(static_cast<int>(cudnn::ReduceOp::Max) == CUDNN_REDUCE_TENSOR_MAX);
  CHECK(static_cast<int>(cudnn::ReduceOp::Average) == CUDNN_REDUCE_TENSOR_AVG);
  CHECK(static_cast<int>(cudnn::ReduceOp::Norm2) == CUDNN_REDUCE_TENSOR_NORM2);
  CHECK(static_cast<int>(cudnn::ReduceIndices::None) == CUDNN_REDUCE_TENSOR_NO_INDICES);
  CHECK(static_cast<int>(cudnn::IndicesType::Bits32) == CUDNN_32BIT_INDICES);
  CHECK(cudnn::kConvolutionAlgorithms == CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
  CHECK(cudnn::kSuccess == CUDNN_STATUS_SUCCESS);
  CHECK(sizeof(cudnn::ConvolutionTime) == sizeof(cudnnConvolutionFwdAlgoPerf_t));
  CHECK(offsetof(cudnn::ConvolutionTime, workspace) == offsetof(cudnnConvolutionFwdAlgoPerf_t, memory));
  CHECK(offsetof(cudnn::ConvolutionTime, math) == offsetof(cudnnConvolutionFwdAlgoPerf_t, mathType));
#else
  SKIP("cuDNN's headers are not on this machine");
#endif
}
