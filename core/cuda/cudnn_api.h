// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cuda/library.h"

namespace opscope::cuda::cudnn {

// What is used of cuDNN 9: single operations by the older interface, and graphs (cuda/cudnn_graph.h). Its
// headers come with a package of its own, which building shall not need; where they are, a test compares.
using Handle = struct OpaqueHandle*;
using Descriptor = void*;
using Status = int;

enum class DataType : int { Float = 0, Half = 2, BFloat16 = 9 };
enum class Format : int { Nchw = 0 };
enum class PoolingMode : int { Max = 0 };
enum class NanPropagation : int { None = 0, Propagate = 1 };
enum class SoftmaxAlgorithm : int { Accurate = 1, Log = 2 };
enum class SoftmaxMode : int { Instance = 0 };
enum class BatchNormMode : int { Spatial = 1 };
enum class ReduceOp : int { Add = 0, Max = 3, Average = 5, Norm2 = 7 };
enum class ReduceIndices : int { None = 0 };
enum class IndicesType : int { Bits32 = 0 };

inline constexpr Status kSuccess = 0;

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
  Status (*createNode)(int kind, Descriptor*) = nullptr;
  Status (*destroyNode)(Descriptor) = nullptr;
  Status (*finalizeNode)(Descriptor) = nullptr;
  Status (*setAttribute)(Descriptor, int name, int type, std::int64_t count, const void*) = nullptr;
  Status (*getAttribute)(Descriptor, int name, int type, std::int64_t asked, std::int64_t* count,
                         void*) = nullptr;
  Status (*execute)(Handle, Descriptor plan, Descriptor pack) = nullptr;

  /// Throws NotSupported when cuDNN 9 is not on this machine: only the implementations of that name need it.
  static const Api& get();
  /// Throws what the status means: NotSupported, OutOfMemory, DeviceLost, InternalError.
  void check(Status status, std::string_view doing) const;
};

/// Version and file of cuDNN for the doctor, as in "9.19.0, /usr/.../libcudnn.so.9"; loads it. Throws
/// NotSupported.
std::string describe();

}  // namespace opscope::cuda::cudnn
