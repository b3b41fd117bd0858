// SPDX-License-Identifier: Apache-2.0
#include "cuda/pci.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>

namespace opscope::cuda {

std::vector<int> parseCpuList(const std::string& text) {
  constexpr int kMost = 1 << 16;
  std::vector<int> cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && *at != '\n') {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc() || first < 0 || first >= kMost) return {};
    int last = first;
    at = read.ptr;
    if (at != end && *at == '-') {
      read = std::from_chars(at + 1, end, last);
      if (read.ec != std::errc() || last < first || last >= kMost) return {};
      at = read.ptr;
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (at == end || *at == '\n') break;
    if (*at != ',') return {};
    ++at;
  }
  return cpus;
}

std::vector<int> nearbyCpusOf(std::string pciBusId) {
  std::transform(pciBusId.begin(), pciBusId.end(), pciBusId.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ifstream in("/sys/bus/pci/devices/" + pciBusId + "/local_cpulist");
  std::string line;
  if (!in || !std::getline(in, line)) return {};
  return parseCpuList(line);
}

}  // namespace opscope::cuda
