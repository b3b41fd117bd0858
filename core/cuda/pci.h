// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opscope::cuda {

/// The cores in a Linux cpu list, as in "0-3,8": {0, 1, 2, 3, 8}. Empty when it is not such a list.
std::vector<int> parseCpuList(const std::string& text);

/// The cores near the PCI device "0000:19:00.0"; empty when the system does not tell.
std::vector<int> nearbyCpusOf(std::string pciBusId);

}  // namespace opscope::cuda
