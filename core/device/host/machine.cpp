// SPDX-License-Identifier: Apache-2.0
#include "device/host/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <system_error>

#include "device/host/clock.h"

namespace opscope::host {
namespace {

std::string firstWord(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

// "36608K" and "32M" as the kernel writes cache sizes; 0 for anything else.
std::int64_t parseSize(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0 || value > std::numeric_limits<std::int32_t>::max()) return 0;
  const std::string unit(end, text.data() + text.size());
  if (unit.empty()) return value;
  if (unit == "K") return value << 10;
  if (unit == "M") return value << 20;
  if (unit == "G") return value << 30;
  return 0;
}

std::int64_t number(const std::filesystem::path& file, std::int64_t otherwise) {
  const std::string word = firstWord(file);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? value : otherwise;
}

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// What the control group of a container leaves. Its page cache can be given back and does not count as used.
std::int64_t controlGroupLeaves() {
  const std::filesystem::path group = "/sys/fs/cgroup";
  const std::int64_t limit = number(group / "memory.max", kUnlimited);
  if (limit == kUnlimited) return kUnlimited;
  std::int64_t used = number(group / "memory.current", 0);
  std::ifstream stat(group / "memory.stat");
  std::string key;
  std::int64_t value = 0;
  while (stat >> key >> value)
    if (key == "inactive_file" || key == "active_file") used -= value;
  return std::max<std::int64_t>(0, limit - std::max<std::int64_t>(0, used));
}

cpu_set_t coresOfThisThread() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_ZERO(&cores);
  return cores;
}

// Read while the program starts: later the thread that asks, or the main thread, may already be pinned.
const cpu_set_t coresAtStart = coresOfThisThread();

}  // namespace

std::string cpuName(const std::filesystem::path& cpuinfo) {
  std::ifstream in(cpuinfo);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with("model name")) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return architecture() + " CPU";
}

std::int64_t lastLevelCacheBytes(const std::filesystem::path& caches) {
  std::int64_t highest = 0;
  std::int64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(caches, ignored)) {
    if (!entry.path().filename().string().starts_with("index")) continue;
    if (firstWord(entry.path() / "type") == "Instruction") continue;
    const std::int64_t level = number(entry.path() / "level", 0);
    if (level <= highest) continue;
    const std::int64_t size = parseSize(firstWord(entry.path() / "size"));
    if (size == 0) continue;
    highest = level;
    bytes = size;
  }
  return bytes;
}

std::int64_t meminfoBytes(const std::string& key, const std::filesystem::path& meminfo) {
  std::ifstream in(meminfo);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(key + ":")) continue;
    std::istringstream rest(line.substr(key.size() + 1));
    std::int64_t kilobytes = 0;
    rest >> kilobytes;
    return rest.fail() || kilobytes < 0 || kilobytes > kUnlimited / 1024 ? 0 : kilobytes * 1024;
  }
  return 0;
}

std::int64_t availableMemoryBytes() {
  return std::min(meminfoBytes("MemAvailable"), controlGroupLeaves());
}

std::string architecture() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

std::string kernelRelease() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

Ns measuredTick() {
  // Every difference of two readings is a multiple of the tick.
  Ns tick = 0;
  Ns before = steadyNow();
  for (int i = 0; i < 1000 && tick != 1; ++i) {
    const Ns reading = steadyNow();
    tick = std::gcd(tick, reading - before);
    before = reading;
  }
  return std::max<Ns>(tick, 1);
}

cpu_set_t programCores() {
  return coresAtStart;
}

cpu_set_t workerCores() {
  cpu_set_t workers = programCores();
  const cpu_set_t mine = coresOfThisThread();
  if (CPU_COUNT(&mine) != 1) return workers;
  cpu_set_t both;
  CPU_AND(&both, &workers, &mine);
  cpu_set_t others;
  CPU_XOR(&others, &workers, &both);
  if (CPU_COUNT(&others) > 0) workers = others;
  return workers;
}

}  // namespace opscope::host
