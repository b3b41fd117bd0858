// SPDX-License-Identifier: Apache-2.0
#include "cuda/gpu_facts.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace opscope::cuda {
namespace {

using State = Check::State;

std::string megahertz(const std::optional<int>& clock) {
  return clock ? fmt::format("{} MHz", *clock) : std::string("unknown");
}

// NVML has a function to lock clocks and none to ask whether they are locked; only the older application
// clocks can be seen.
DeviceFact lockedClocks(const GpuSettings& s, const std::string& gpu) {
  DeviceFact fact;
  fact.name = "locked clocks";
  const std::string lock = fmt::format(
      "To lock the SM clock where the power limit can hold it: sudo nvidia-smi -i {0} "
      "--lock-gpu-clocks=tdp,tdp (or MHZ,MHZ); the memory clock: --lock-memory-clocks=MHZ,MHZ. Undo with "
      "sudo nvidia-smi -i {0} --reset-gpu-clocks and --reset-memory-clocks.",
      gpu);
  const bool changed = (s.applicationSmMhz && s.defaultApplicationSmMhz &&
                        *s.applicationSmMhz != *s.defaultApplicationSmMhz) ||
                       (s.applicationMemoryMhz && s.defaultApplicationMemoryMhz &&
                        *s.applicationMemoryMhz != *s.defaultApplicationMemoryMhz);
  const bool holds = (s.throttleReasons.value_or(0) & kThrottleApplicationClocks) != 0;
  if (changed || holds) {
    fact.value = "application clocks";
    fact.state = State::Ok;
    fact.explanation =
        fmt::format("SM {}, memory {}", megahertz(s.applicationSmMhz), megahertz(s.applicationMemoryMhz));
    fact.remedy = fmt::format("Undo with sudo nvidia-smi -i {} --reset-applications-clocks.", gpu);
    return fact;
  }
  fact.value = "unknown";
  fact.explanation = fmt::format(
      "NVML does not tell whether nvidia-smi locked them; no application clocks are set; the SM clock can go "
      "up to {}",
      megahertz(s.maxSmMhz));
  fact.remedy = lock;
  return fact;
}

DeviceFact powerLimit(const GpuSettings& s, const std::string& gpu) {
  DeviceFact fact;
  fact.name = "power limit";
  if (!s.powerLimitMilliwatt) {
    fact.value = "unknown";
    return fact;
  }
  fact.value = fmt::format("{} W", *s.powerLimitMilliwatt / 1000);
  if (!s.defaultPowerLimitMilliwatt) return fact;
  if (*s.powerLimitMilliwatt >= *s.defaultPowerLimitMilliwatt) {
    fact.state = State::Ok;
    return fact;
  }
  fact.state = State::Warning;
  fact.explanation = fmt::format("lowered from {} W", *s.defaultPowerLimitMilliwatt / 1000);
  fact.remedy = fmt::format("To restore it: sudo nvidia-smi -i {} --power-limit={}.", gpu,
                            *s.defaultPowerLimitMilliwatt / 1000);
  return fact;
}

std::string onOff(const std::optional<bool>& on) {
  return !on ? "unknown" : *on ? "on" : "off";
}

DeviceFact persistence(const GpuSettings& s, const std::string& gpu) {
  DeviceFact fact{"persistence mode", onOff(s.persistence), State::Ok, "", ""};
  if (s.persistence.value_or(true)) return fact;
  fact.state = State::Info;
  fact.explanation = "the driver unloads between programs, so each starts with a cold, slow GPU";
  fact.remedy = fmt::format("To keep it loaded: sudo nvidia-smi -i {} --persistence-mode=1.", gpu);
  return fact;
}

DeviceFact mig(const GpuSettings& s) {
  DeviceFact fact{"mig", s.mig ? onOff(s.mig) : "not supported or not told", State::Ok, "", ""};
  if (!s.mig.value_or(false)) return fact;
  fact.state = State::Warning;
  fact.explanation =
      "figures are those of a slice of the GPU, while clocks, power and temperature are the whole GPU's";
  return fact;
}

DeviceFact mps(const GpuSettings& s, const GpuSharing& sharing) {
  DeviceFact fact{"mps", "off", State::Ok, "", ""};
  const std::uint32_t clients = s.mpsProcesses.value_or(0);
  if (clients == 0 && !sharing.mpsDaemon) return fact;
  fact.value = "on";
  fact.state = State::Warning;
  if (clients > 0)
    fact.explanation = fmt::format("NVML counts {} MPS client{}: their kernels run beside the timed ones",
                                   clients, clients == 1 ? "" : "s");
  else
    fact.explanation = fmt::format("a control daemon is at {}: programs that start now share the GPU with it",
                                   sharing.mpsPipe);
  fact.remedy = "To end it: echo quit | nvidia-cuda-mps-control.";
  return fact;
}

DeviceFact processes(const std::optional<DeviceUse>& use) {
  DeviceFact fact;
  fact.name = "gpu processes";
  if (!use) {
    fact.value = "unknown";
    fact.explanation = "the driver does not tell who uses the GPU";
    return fact;
  }
  const std::size_t count = use->processes.size();
  if (count == 0) {
    fact.value = "none seen";
    fact.explanation = "in a container the driver may hide them";
    return fact;
  }
  fact.value = fmt::format("{}", count);
  fact.state = count > 1 ? State::Warning : State::Ok;
  if (use->ownPid) {
    fact.value += count == 1 ? " (this one)" : " (this one among them)";
  } else {
    fact.explanation =
        "none of their process ids is this program's: it is another program, or this one under the id that a "
        "container hides";
    fact.state = count > 1 ? State::Warning : State::Info;
  }
  if (fact.state == State::Warning)
    fact.remedy = "See nvidia-smi; what another program runs meanwhile is in the figures.";
  return fact;
}

}  // namespace

GpuSharing gpuSharing() {
  GpuSharing sharing;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) sharing.visibleDevices = visible;
  const char* pipe = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  sharing.mpsPipe = pipe != nullptr && *pipe != '\0' ? pipe : "/tmp/nvidia-mps";
  std::error_code ignored;
  sharing.mpsDaemon = std::filesystem::exists(std::filesystem::path(sharing.mpsPipe) / "control", ignored);
  return sharing;
}

std::vector<DeviceFact> factsOf(const GpuSettings& settings, const GpuSharing& sharing,
                                const std::optional<DeviceUse>& use, const std::string& gpu) {
  DeviceFact visible{"cuda visible devices", sharing.visibleDevices.value_or("not set"), State::Ok, "", ""};
  if (sharing.visibleDevices) {
    visible.state = State::Info;
    visible.explanation = "CUDA sees only these, and counts them from 0";
  }
  return {
      lockedClocks(settings, gpu),
      powerLimit(settings, gpu),
      persistence(settings, gpu),
      DeviceFact{"ecc", settings.ecc ? onOff(settings.ecc) : "not supported or not told", State::Ok, "", ""},
      mig(settings),
      mps(settings, sharing),
      visible,
      processes(use)};
}

}  // namespace opscope::cuda
