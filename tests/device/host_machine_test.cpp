// SPDX-License-Identifier: Apache-2.0
#include "device/host/machine.h"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

namespace opscope::host {
namespace {

// A folder of files that stand in for /proc and /sys.
class FakeFiles {
 public:
  FakeFiles()
      : root_(std::filesystem::temp_directory_path() / ("opscope-machine-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(root_);
  }
  ~FakeFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  FakeFiles(const FakeFiles&) = delete;
  FakeFiles& operator=(const FakeFiles&) = delete;
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const auto file = root_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  void cache(const std::string& index, const std::string& level, const std::string& type,
             const std::string& size) {
    write("cache/" + index + "/level", level + "\n");
    write("cache/" + index + "/type", type + "\n");
    write("cache/" + index + "/size", size + "\n");
  }
  std::int64_t lastLevel() const { return lastLevelCacheBytes(root_ / "cache"); }

 private:
  std::filesystem::path root_;
};

TEST_CASE("the last-level cache is the highest level that holds data") {
  FakeFiles files;
  files.cache("index0", "1", "Data", "32K");
  files.cache("index1", "1", "Instruction", "48K");
  files.cache("index2", "2", "Unified", "2048K");
  CHECK(files.lastLevel() == 2 << 20);
  files.cache("index3", "3", "Unified", "36M");
  CHECK(files.lastLevel() == 36 << 20);
  files.cache("index4", "4", "Instruction", "999M");
  CHECK(files.lastLevel() == 36 << 20);
  files.write("cache/uevent", "");
  CHECK(files.lastLevel() == 36 << 20);
}

TEST_CASE("a cache that the system describes badly counts as unknown") {
  FakeFiles files;
  CHECK(files.lastLevel() == 0);
  for (const char* size : {"", "big", "-1K", "32Q", "99999999999999999999K"}) {
    files.cache("index0", "3", "Unified", size);
    INFO(size);
    CHECK(files.lastLevel() == 0);
  }
}

TEST_CASE("meminfo is read by key, in bytes") {
  FakeFiles files;
  const auto file =
      files.write("meminfo", "MemTotal:  100 kB\nMemFree: 7 kB\nMemAvailable:   42 kB\nOdd: x kB\n");
  CHECK(meminfoBytes("MemAvailable", file) == 42 * 1024);
  CHECK(meminfoBytes("MemTotal", file) == 100 * 1024);
  CHECK(meminfoBytes("Mem", file) == 0);
  CHECK(meminfoBytes("Odd", file) == 0);
  CHECK(meminfoBytes("MemTotal", "/no/such/file") == 0);
}

TEST_CASE("the CPU is named as it names itself") {
  FakeFiles files;
  CHECK(cpuName(files.write("a", "processor : 0\nmodel name\t: Fast CPU @ 3 GHz\nmodel name : Other\n")) ==
        "Fast CPU @ 3 GHz");
  CHECK(cpuName(files.write("b", "processor : 0\n")) == architecture() + " CPU");
  CHECK(cpuName(files.write("c", "model name\t:\n")) == architecture() + " CPU");
}

TEST_CASE("this machine is described") {
  CHECK(availableMemoryBytes() > 0);
  CHECK(availableMemoryBytes() <= meminfoBytes("MemTotal"));
  CHECK_FALSE(kernelRelease().empty());
  CHECK(measuredTick() >= 1);
  const cpu_set_t cores = programCores();
  CHECK(CPU_COUNT(&cores) >= 1);
}

}  // namespace
}  // namespace opscope::host
