// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "cuda/library.h"

namespace opscope::cuda::cudnn {

// What is used of cuDNN 9's interface for single operations. Its headers come with a package of its own,
// which building shall not need; where they are, a test compares.
using Handle = struct OpaqueHandle*;
using Descriptor = void*;
using Status = int;

enum class DataType : int { Float = 0, Half = 2, BFloat16 = 9 };
enum class Format : int { Nchw = 0 };
enum class ConvolutionMode : int { CrossCorrelation = 1 };
enum class MathType : int { Default = 0, TensorOp = 1 };
enum class PoolingMode : int { Max = 0 };
enum class NanPropagation : int { None = 0, Propagate = 1 };
enum class SoftmaxAlgorithm : int { Accurate = 1, Log = 2 };
enum class SoftmaxMode : int { Instance = 0 };
enum class BatchNormMode : int { Spatial = 1 };
enum class ReduceOp : int { Add = 0, Max = 3, Average = 5, Norm2 = 7 };
enum class ReduceIndices : int { None = 0 };
enum class IndicesType : int { Bits32 = 0 };

inline constexpr int kConvolutionAlgorithms = 8;
inline constexpr int kConvolutionTries = 2 * kConvolutionAlgorithms;  ///< each with both kinds of arithmetic
inline constexpr Status kSuccess = 0;

/// cudnnConvolutionFwdAlgoPerf_t
struct ConvolutionTime {
  int algorithm;
  Status status;
  float milliseconds;
  std::size_t workspace;
  int determinism;
  MathType math;
  int reserved[3];
};

/// The functions used; opened on first use.
struct Api {
  Library library;
  std::size_t (*version)() = nullptr;
  const char* (*errorString)(Status) = nullptr;
  Status (*create)(Handle*) = nullptr;
  Status (*destroy)(Handle) = nullptr;
  Status (*setStream)(Handle, cudaStream_t) = nullptr;
  Status (*getStream)(Handle, cudaStream_t*) = nullptr;
  Status (*createTensor)(Descriptor*) = nullptr;
  Status (*destroyTensor)(Descriptor) = nullptr;
  Status (*setTensor)(Descriptor, Format, DataType, int n, int c, int h, int w) = nullptr;
  Status (*createFilter)(Descriptor*) = nullptr;
  Status (*destroyFilter)(Descriptor) = nullptr;
  Status (*setFilter)(Descriptor, DataType, Format, int k, int c, int h, int w) = nullptr;
  Status (*createConvolution)(Descriptor*) = nullptr;
  Status (*destroyConvolution)(Descriptor) = nullptr;
  Status (*setConvolution)(Descriptor, int padHeight, int padWidth, int strideHeight, int strideWidth,
                           int dilationHeight, int dilationWidth, ConvolutionMode, DataType) = nullptr;
  Status (*setConvolutionMath)(Descriptor, MathType) = nullptr;
  Status (*findConvolution)(Handle, Descriptor x, const void*, Descriptor w, const void*,
                            Descriptor convolution, Descriptor y, void*, int asked, int* returned,
                            ConvolutionTime*, void* workspace, std::size_t workspaceBytes) = nullptr;
  Status (*convolve)(Handle, const void* alpha, Descriptor x, const void*, Descriptor w, const void*,
                     Descriptor convolution, int algorithm, void* workspace, std::size_t workspaceBytes,
                     const void* beta, Descriptor y, void*) = nullptr;
  Status (*createPooling)(Descriptor*) = nullptr;
  Status (*destroyPooling)(Descriptor) = nullptr;
  Status (*setPooling)(Descriptor, PoolingMode, NanPropagation, int windowHeight, int windowWidth,
                       int padHeight, int padWidth, int strideHeight, int strideWidth) = nullptr;
  Status (*pool)(Handle, Descriptor pooling, const void* alpha, Descriptor x, const void*, const void* beta,
                 Descriptor y, void*) = nullptr;
  Status (*softmax)(Handle, SoftmaxAlgorithm, SoftmaxMode, const void* alpha, Descriptor x, const void*,
                    const void* beta, Descriptor y, void*) = nullptr;
  Status (*batchNorm)(Handle, BatchNormMode, const void* alpha, const void* beta, Descriptor x, const void*,
                      Descriptor y, void*, Descriptor channels, const void* scale, const void* bias,
                      double averageFactor, void* runningMean, void* runningVariance, double eps, void* mean,
                      void* inverseDeviation) = nullptr;
  Status (*createReduction)(Descriptor*) = nullptr;
  Status (*destroyReduction)(Descriptor) = nullptr;
  Status (*setReduction)(Descriptor, ReduceOp, DataType, NanPropagation, ReduceIndices,
                         IndicesType) = nullptr;
  Status (*reductionWorkspace)(Handle, Descriptor reduction, Descriptor x, Descriptor y,
                               std::size_t*) = nullptr;
  Status (*reduce)(Handle, Descriptor reduction, void* indices, std::size_t indicesBytes, void* workspace,
                   std::size_t workspaceBytes, const void* alpha, Descriptor x, const void*, const void* beta,
                   Descriptor y, void*) = nullptr;

  /// Throws NotSupported when cuDNN 9 is not on this machine: only the implementations of that name need it.
  static const Api& get();
  /// Throws what the status means: NotSupported, OutOfMemory, DeviceLost, InternalError.
  void check(Status status, std::string_view doing) const;
};

/// Version and file of cuDNN for the doctor, as in "9.19.0, /usr/.../libcudnn.so.9"; loads it. Throws
/// NotSupported.
std::string describe();

}  // namespace opscope::cuda::cudnn
