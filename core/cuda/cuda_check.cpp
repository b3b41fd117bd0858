// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_check.h"

#include <fmt/format.h>

#include "base/error.h"

namespace opscope::cuda {

std::string textOf(cudaError_t error) {
  const char* name = cudaGetErrorName(error);
  const char* text = cudaGetErrorString(error);
  return fmt::format("{} ({})", name != nullptr ? name : "unknown CUDA error",
                     text != nullptr ? text : std::to_string(static_cast<int>(error)));
}

bool isFatal(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDevicesUnavailable:  // what every call says after a device reset that followed a fault
    case cudaErrorCudartUnloading:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

void throwCudaError(cudaError_t error, std::string_view doing) {
  cudaGetLastError();  // so that the next call does not report this error again as its own
  const std::string message = fmt::format("CUDA failed while {}: {}", doing, textOf(error));
  if (isFatal(error))
    throw DeviceLost(message, "This process cannot use the GPU any more; start the program again.");
  switch (error) {
    case cudaErrorMemoryAllocation:
      throw OutOfMemory(message, "Choose a smaller workload, or free memory of the GPU.");
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorDeviceUninitialized:
      throw DeviceUnavailable(message, "Run the doctor command: it says what is missing.");
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      throw BadInput(message, "Check the implementation's grid, block and shared memory.");
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorStreamCaptureWrongThread:
      throw NotSupported(message,
                         "It waits for the device, or does something else that a graph cannot hold.");
    default:
      throw InternalError(message);
  }
}

}  // namespace opscope::cuda
