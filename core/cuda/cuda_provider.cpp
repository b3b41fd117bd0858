// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_provider.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <charconv>
#include <string_view>

#include "base/error.h"
#include "cuda/cuda_check.h"
#include "cuda/cuda_device.h"
#include "cuda/library.h"
#include "device/affinity.h"

namespace opscope::cuda {

GpuCount countGpus() {
  CuptiProcess::instance().prepareBeforeCuda();
  GpuCount gpus;
  // Asked first, because without the library CUDA says "insufficient driver", which sends people astray.
  if (!Library::open({"libcuda.so.1"}, {})) {
    gpus.problem = "There is no NVIDIA driver: libcuda.so.1 was not found";
    gpus.remedy = "Install the driver, or start the container with GPUs (as in docker run --gpus all).";
    return gpus;
  }
  const cudaError_t error = cudaGetDeviceCount(&gpus.count);
  if (error == cudaSuccess && gpus.count > 0) return gpus;
  cudaGetLastError();
  gpus.count = 0;
  int version = 0;
  if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&version) == cudaSuccess && version > 0) {
    gpus.problem =
        fmt::format("The NVIDIA driver is too old: it knows CUDA {}.{}, this program needs {}.{}",
                    version / 1000, version % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    gpus.remedy = "Install a newer driver.";
  } else if (error == cudaErrorNoDevice || error == cudaSuccess) {
    gpus.problem = "The NVIDIA driver sees no GPU";
    gpus.remedy = "See what nvidia-smi says; CUDA_VISIBLE_DEVICES may hide the GPUs.";
  } else {
    gpus.problem = fmt::format("CUDA does not start: {}", textOf(error));
    gpus.remedy = "See what nvidia-smi says; a restart may be pending after a driver update.";
  }
  return gpus;
}

CudaProvider::CudaProvider() {
  CuptiProcess::instance().prepareBeforeCuda();
}

std::vector<DeviceInfo> CudaProvider::devices() {
  std::vector<DeviceInfo> infos;
  const GpuCount gpus = countGpus();
  if (gpus.count == 0) return infos;
  const Nvml nvml;
  for (int ordinal = 0; ordinal < gpus.count; ++ordinal) {
    try {
      infos.push_back(describeGpu(ordinal, nvml.driverVersion()));
    } catch (const Error& error) {
      spdlog::warn("{}", error.what());
    }
  }
  return infos;
}

std::unique_ptr<Device> CudaProvider::open(const std::string& id) {
  const std::string_view text = id;
  int ordinal = 0;
  if (text != "cuda") {
    const std::string_view number = text.starts_with("cuda:") ? text.substr(5) : std::string_view{};
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ordinal);
    if (number.empty() || error != std::errc() || end != number.data() + number.size() || ordinal < 0)
      throw NoSuchDevice(fmt::format("'{}' is not the name of a GPU", id),
                         "GPUs are named cuda:0, cuda:1, ...");
  }
  const GpuCount gpus = countGpus();
  if (gpus.count == 0) throw DeviceUnavailable(gpus.problem, gpus.remedy);
  if (ordinal >= gpus.count)
    throw NoSuchDevice(fmt::format("There is no GPU {}", id),
                       fmt::format("The last one here is cuda:{}.", gpus.count - 1));
  const UnpinnedScope workersMayRunAnywhere;
  return std::make_unique<CudaDevice>(ordinal);
}

}  // namespace opscope::cuda
