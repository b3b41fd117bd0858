// SPDX-License-Identifier: Apache-2.0
#include "cuda/cudnn_api.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cuda/cuda_check.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda::cudnn {
namespace {

Api load() {
  // cuDNN opens these by name only when an operation needs them; that succeeds once they are in the process.
  for (const char* stem : {"libcublasLt", "libcublas", "libnvrtc"})
    Library::open(libraryNames(stem), libraryFolders());
  Api api;
  api.library = Library::open({"libcudnn.so.9"}, cudnnFolders());
  if (!api.library)
    throw NotSupported(api.library.problem().empty()
                           ? "cuDNN (libcudnn.so.9) was not found on this machine"
                           : fmt::format("cuDNN could not be loaded: {}", api.library.problem()),
                       "Install cuDNN 9, or set CUDNN_PATH to the folder that has it in lib.");
  const Library& from = api.library;
  const bool complete =
      from.find("cudnnGetVersion", api.version) && from.find("cudnnGetErrorString", api.errorString) &&
      from.find("cudnnCreate", api.create) && from.find("cudnnDestroy", api.destroy) &&
      from.find("cudnnSetStream", api.setStream) && from.find("cudnnGetStream", api.getStream) &&
      from.find("cudnnCreateTensorDescriptor", api.createTensor) &&
      from.find("cudnnDestroyTensorDescriptor", api.destroyTensor) &&
      from.find("cudnnSetTensor4dDescriptor", api.setTensor) &&
      from.find("cudnnCreatePoolingDescriptor", api.createPooling) &&
      from.find("cudnnDestroyPoolingDescriptor", api.destroyPooling) &&
      from.find("cudnnSetPooling2dDescriptor", api.setPooling) &&
      from.find("cudnnPoolingForward", api.pool) && from.find("cudnnSoftmaxForward", api.softmax) &&
      from.find("cudnnBatchNormalizationForwardTraining", api.batchNorm) &&
      from.find("cudnnCreateReduceTensorDescriptor", api.createReduction) &&
      from.find("cudnnDestroyReduceTensorDescriptor", api.destroyReduction) &&
      from.find("cudnnSetReduceTensorDescriptor", api.setReduction) &&
      from.find("cudnnGetReductionWorkspaceSize", api.reductionWorkspace) &&
      from.find("cudnnReduceTensor", api.reduce) &&
      from.find("cudnnBackendCreateDescriptor", api.createNode) &&
      from.find("cudnnBackendDestroyDescriptor", api.destroyNode) &&
      from.find("cudnnBackendFinalize", api.finalizeNode) &&
      from.find("cudnnBackendSetAttribute", api.setAttribute) &&
      from.find("cudnnBackendGetAttribute", api.getAttribute) &&
      from.find("cudnnBackendExecute", api.execute);
  if (!complete)
    throw NotSupported(fmt::format("cuDNN in {} lacks functions of version 9", from.path()),
                       "Install cuDNN 9, or set CUDNN_PATH to the folder that has it in lib.");
  return api;
}

}  // namespace

const Api& Api::get() {
  static const Api api = load();  // tried again next time when it throws
  return api;
}

void Api::check(Status status, std::string_view doing) const {
  if (status == kSuccess) [[likely]]
    return;
  const cudaError_t underneath = cudaPeekAtLastError();
  if (underneath != cudaSuccess && isFatal(underneath)) throwCudaError(underneath, doing);
  const std::string message = fmt::format("cuDNN failed while {}: {}", doing, errorString(status));
  // Statuses come in thousands: what the caller did wrong, what is not supported, what broke inside, what the
  // GPU did.
  constexpr Status kHostMemory = 4003, kDeviceMemory = 4004;
  if (status == kHostMemory || status == kDeviceMemory)
    throw OutOfMemory(message, "Choose a smaller workload.");
  const Status kind = status / 1000;
  // A shape that is too large or a missing part of the library is no failure of this program either.
  if (kind == 1 || kind == 2 || kind == 3)
    throw NotSupported(message, "Choose another implementation, dtype or shape.");
  if (kind == 5)
    throw DeviceLost(message, "This process may not be able to use the GPU any more; start it again.");
  throw InternalError(message);
}

std::string describe() {
  const Api& api = Api::get();
  const std::size_t version = api.version();  // 91900 is 9.19.0
  return fmt::format("{}.{}.{}, {}", version / 10000, version / 100 % 100, version % 100, api.library.path());
}

}  // namespace opscope::cuda::cudnn
