// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace opscope {

/// One thing that `opscope doctor` looked at, as a sentence a person can act on.
struct Check {
  enum class State : std::uint8_t { Ok, Info, Warning, Missing } state = State::Ok;
  std::string subject;   ///< "NVIDIA driver", "CUPTI"
  std::string sentence;  ///< what was found
  std::string remedy;    ///< what to do; empty when nothing is to be done
};

/// One thing about a device that numbers depend on and that somebody can change: clocks, power limit, who
/// else uses it. In the environment of a run it is name and value, in `opscope doctor` a check.
struct DeviceFact {
  std::string name;   ///< "locked clocks", in lower case
  std::string value;  ///< "unknown", "off": short
  Check::State state = Check::State::Info;
  std::string explanation;  ///< what the value means, where it needs that
  std::string remedy;
};

/// The fact as a check of device `id`: "cuda:0, locked clocks", "unknown: NVML does not tell ...".
Check checkOf(const DeviceFact& fact, const std::string& id);

}  // namespace opscope
