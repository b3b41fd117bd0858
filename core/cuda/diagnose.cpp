// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "base/format.h"
#include "cuda/cub_call.h"
#include "cuda/cublaslt_call.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_provider.h"
#include "cuda/cudnn_api.h"
#include "cuda/gpu_facts.h"

namespace opscope::cuda {
namespace {

using State = Check::State;

Check failed(const std::string& subject, const Error& error, State state = State::Missing) {
  return {state, subject, error.info().message, error.info().remedy};
}

void checkGpus(std::vector<Check>& checks, const GpuCount& gpus, const std::string& driverVersion) {
  if (gpus.count == 0) {
    checks.push_back({State::Missing, "NVIDIA GPU", gpus.problem, gpus.remedy});
    return;
  }
  for (int ordinal = 0; ordinal < gpus.count; ++ordinal) {
    try {
      const DeviceInfo info = describeGpu(ordinal, driverVersion);
      const auto driver = info.versions.find("cuda driver");
      checks.push_back(
          {State::Ok, "NVIDIA GPU",
           fmt::format("{} is {} ({}, {}, {} multiprocessors), driver {} for CUDA {}", info.id, info.name,
                       info.architecture, formatBytes(static_cast<double>(info.memoryBytes)),
                       info.multiprocessors, driverVersion.empty() ? "of unknown version" : driverVersion,
                       driver == info.versions.end() ? "?" : driver->second),
           ""});
    } catch (const Error& error) {
      checks.push_back(failed("NVIDIA GPU", error));
    }
  }
}

/// What of each GPU somebody can set, and numbers depend on.
void checkSettings(std::vector<Check>& checks, Nvml& nvml, int gpus) {
  for (int ordinal = 0; ordinal < gpus; ++ordinal) {
    try {
      const DeviceInfo info = describeGpu(ordinal, nvml.driverVersion());
      if (!nvml.choose(info.uuid, "")) continue;
      for (const DeviceFact& fact : factsOf(nvml.settings(), gpuSharing(), nvml.use(), info.uuid))
        checks.push_back(checkOf(fact, info.id));
    } catch (const Error& error) {
      checks.push_back(failed("NVIDIA GPU", error));
    }
  }
}

/// Whether records really arrive: permission, other tools and broken installations show only in use.
Check checkRecords(CudaProvider& provider) {
  try {
    const auto device = provider.open("cuda:0");
    const bool proven = device->proveDropCounter();
    const auto& versions = device->info().versions;
    const auto launch = versions.find("launch timestamps");
    if (launch == versions.end()) {
      device->collector().open({});  // throws the reason
      device->collector().discard();
    }
    if (!proven)
      return {
          State::Warning, "CUPTI records",
          "Kernels are recorded, but the count of dropped records does not work, so a pass with something "
          "missing gives no number",
          "Try another version of CUPTI."};
    return {State::Ok, "CUPTI records",
            fmt::format("Kernels are recorded in steps of {} ns, dropped records are counted, launch "
                        "timestamps: {}",
                        device->info().timestampTick, launch == versions.end() ? "unknown" : launch->second),
            ""};
  } catch (const Error& error) {
    return failed("CUPTI records", error);
  }
}

/// Whether counters can be read shows only in use, too: a clear is a call whose reading is known.
class ClearAsCall final : public Call {
 public:
  explicit ClearAsCall(Device& device) : device_(device) {}
  void issue() override { device_.clearCaches(L2Mode::Clean); }

 private:
  Device& device_;
};

Check checkCounters(CudaProvider& provider) {
  constexpr const char* kSubject = "Memory counters";
  try {
    const auto device = provider.open("cuda:0");
    ClearAsCall call(*device);
    const CounterReading reading = device->readCounters(call, L2Mode::Warm, 1);
    std::int64_t read = 0;
    for (const MemoryTraffic& kernel : reading.calls.at(0)) read += kernel.dramRead;
    const std::int64_t expected = 2 * device->info().l2Bytes;
    const std::string seen =
        fmt::format("a read of {} counts {} from DRAM", formatBytes(static_cast<double>(expected)),
                    formatBytes(static_cast<double>(read)));
    // From a warm cache at most half of twice its size can come from it.
    if (2 * read < expected || read > 2 * expected)
      return {State::Warning, kSubject, "DRAM and L2 traffic is counted, but not as expected: " + seen,
              "Do not trust --counters here; try another version of CUPTI."};
    return {State::Ok, kSubject, "DRAM and L2 traffic can be counted (--counters): " + seen, ""};
  } catch (const Error& error) {
    return failed(kSubject, error, State::Warning);
  }
}

Check checkHeaders(const NvrtcCompiler& compiler) {
  if (compiler.headers())
    return {State::Ok, "CUDA headers", fmt::format("In {}", compiler.headers()->string()), ""};
  return {State::Missing, "CUDA headers",
          "cuda_fp16.h and cuda_bf16.h were not found, so kernels in half precision cannot be compiled",
          "Install the CUDA runtime's headers (cuda-cudart-dev) or set CUDA_HOME to a CUDA toolkit."};
}

Check checkCublasLt() {
  try {
    return {State::Ok, "cuBLASLt", describeCublasLt(), ""};
  } catch (const Error& error) {
    return failed("cuBLASLt", error);
  }
}

/// What only some baselines need is good to have, and no fault when it is not there.
template <typename Describe>
Check checkBaseline(const std::string& subject, const std::string& implementations, Describe describe) {
  try {
    return {State::Ok, subject, describe(), ""};
  } catch (const Error& error) {
    Check check = failed(subject, error, State::Info);
    check.sentence += fmt::format(", so the implementations called {} cannot be measured", implementations);
    return check;
  }
}

Check unexpected(const std::string& subject) {
  const ErrorInfo info = currentErrorInfo();
  return {State::Missing, subject, info.message, info.remedy};
}

}  // namespace

std::vector<Check> CudaProvider::diagnose() {
  std::vector<Check> checks;
  try {
    const GpuCount gpus = countGpus();
    Nvml nvml;
    checkGpus(checks, gpus, nvml.driverVersion());

    const CuptiProcess& cupti = CuptiProcess::instance();
    if (const CuptiApi* api = cupti.api())
      checks.push_back(
          {State::Ok, "CUPTI", fmt::format("Version {}, {}", api->version, api->library.path()), ""});
    else
      checks.push_back({State::Missing, "CUPTI", cupti.missing() + ", so nothing can be recorded",
                        "Install CUPTI (cuda-cupti) or set CUDA_HOME to a CUDA toolkit."});
    if (cupti.api() != nullptr && gpus.count > 0) {
      checks.push_back(checkRecords(*this));
      checks.push_back(checkCounters(*this));
    }

    const NvrtcCompiler compiler;
    if (compiler.available())
      checks.push_back(
          {State::Ok, "NVRTC", fmt::format("Version {}, {}", compiler.version(), compiler.path()), ""});
    else
      checks.push_back({State::Missing, "NVRTC", compiler.missing() + ", so kernels cannot be compiled",
                        "Install NVRTC (cuda-nvrtc) or set CUDA_HOME to a CUDA toolkit."});
    checks.push_back(checkHeaders(compiler));
    checks.push_back(checkCublasLt());
    checks.push_back(checkBaseline("cuDNN", "cudnn", cudnn::describe));
    checks.push_back(checkBaseline("CUB", "cub", describeCub));
    if (nvml.available())
      checks.push_back({State::Ok, "NVML", "Clocks, temperature and power can be read", ""});
    else
      checks.push_back({gpus.count > 0 ? State::Warning : State::Info, "NVML",
                        nvml.missing() + ", so clocks, temperature and power stay unknown",
                        gpus.count > 0 ? "Install the driver's management library." : ""});
    if (nvml.available()) checkSettings(checks, nvml, gpus.count);
  } catch (...) {
    checks.push_back(unexpected("CUDA"));
  }
  return checks;
}

}  // namespace opscope::cuda
