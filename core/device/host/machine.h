// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/ns.h"

namespace opscope::host {

/// Facts about this machine, read from /proc and /sys. Each is 0 or empty where the system does not tell;
/// none throws.

/// "Intel(R) Xeon(R) ...", from the "model name" line of a cpuinfo file; the architecture where there is
/// none.
std::string cpuName(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");
/// Size of the highest cache level that holds data, in bytes.
std::int64_t lastLevelCacheBytes(const std::filesystem::path& caches = "/sys/devices/system/cpu/cpu0/cache");
/// The value of a line such as "MemAvailable:  123 kB", in bytes.
std::int64_t meminfoBytes(const std::string& key, const std::filesystem::path& meminfo = "/proc/meminfo");
/// What can be allocated without swapping: MemAvailable, less where a control group leaves less.
std::int64_t availableMemoryBytes();
/// "x86_64", and "6.1.0" of the running kernel.
std::string architecture();
std::string kernelRelease();
/// The smallest step of the steady clock, as readings of it show.
Ns measuredTick();

/// The cores that the program was given when it started, before any of its threads was pinned.
cpu_set_t programCores();
/// The cores for worker threads: all of the program's, without the one that the calling thread is pinned to
/// when there is another.
cpu_set_t workerCores();

}  // namespace opscope::host
