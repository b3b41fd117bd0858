// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "cuda/cudnn_api.h"
#include "cuda/cudnn_call.h"
#include "cuda/cudnn_graph.h"

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
  CHECK(cudnn::kSuccess == CUDNN_STATUS_SUCCESS);
#else
  SKIP("cuDNN's headers are not on this machine");
#endif
}

TEST_CASE("the numbers of cuDNN's graphs are its headers'") {
#if __has_include(<cudnn.h>)
  const auto same = [](auto ours, int theirs) { CHECK(static_cast<int>(ours) == theirs); };
  using cudnn::Attribute, cudnn::NodeKind, cudnn::ValueType;
  same(NodeKind::Convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  same(NodeKind::Engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  same(NodeKind::EngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  same(NodeKind::EngineHeuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  same(NodeKind::ExecutionPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  same(NodeKind::ConvolutionForward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  same(NodeKind::OperationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  same(NodeKind::VariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  same(NodeKind::Tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  same(Attribute::ConvolutionType, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  same(Attribute::ConvolutionModeOf, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
  same(Attribute::ConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
  same(Attribute::ConvolutionStrides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  same(Attribute::ConvolutionPostPaddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  same(Attribute::ConvolutionPrePaddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  same(Attribute::ConvolutionSpatialDims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  same(Attribute::HeuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE);
  same(Attribute::HeuristicsGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  same(Attribute::HeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS);
  same(Attribute::ConfigEngine, CUDNN_ATTR_ENGINECFG_ENGINE);
  same(Attribute::PlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
  same(Attribute::PlanConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  same(Attribute::PlanWorkspace, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  same(Attribute::ForwardAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
  same(Attribute::ForwardBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
  same(Attribute::ForwardConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
  same(Attribute::ForwardW, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
  same(Attribute::ForwardX, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
  same(Attribute::ForwardY, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
  same(Attribute::GraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
  same(Attribute::GraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
  same(Attribute::TensorAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  same(Attribute::TensorType, CUDNN_ATTR_TENSOR_DATA_TYPE);
  same(Attribute::TensorDimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
  same(Attribute::TensorStrides, CUDNN_ATTR_TENSOR_STRIDES);
  same(Attribute::TensorId, CUDNN_ATTR_TENSOR_UNIQUE_ID);
  same(Attribute::PackIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  same(Attribute::PackPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  same(Attribute::PackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  same(Attribute::EngineNotes, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
  same(ValueType::LibraryHandle, CUDNN_TYPE_HANDLE);
  same(ValueType::DataType, CUDNN_TYPE_DATA_TYPE);
  same(ValueType::Int64, CUDNN_TYPE_INT64);
  same(ValueType::Float, CUDNN_TYPE_FLOAT);
  same(ValueType::Pointer, CUDNN_TYPE_VOID_PTR);
  same(ValueType::ConvolutionMode, CUDNN_TYPE_CONVOLUTION_MODE);
  same(ValueType::HeuristicsMode, CUDNN_TYPE_HEUR_MODE);
  same(ValueType::NumericalNote, CUDNN_TYPE_NUMERICAL_NOTE);
  same(ValueType::Node, CUDNN_TYPE_BACKEND_DESCRIPTOR);
  same(cudnn::ConvolutionMode::CrossCorrelation, CUDNN_CROSS_CORRELATION);
  same(cudnn::HeuristicsMode::Fallback, CUDNN_HEUR_MODE_FALLBACK);
  same(cudnn::HeuristicsMode::A, CUDNN_HEUR_MODE_A);
  same(cudnn::NumericalNote::TensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  same(cudnn::NumericalNote::DownConvertInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
  same(cudnn::NumericalNote::ReducedPrecisionReduction, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION);
#else
  SKIP("cuDNN's headers are not on this machine");
#endif
}
