// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer: any bytes as a session file. It is read, or refused with CannotRead.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "session/store.h"

namespace {

// One file for the process: most of the time would go into making new ones.
const std::filesystem::path& file() {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("opscope-fuzz-" + std::to_string(getpid()) + ".opscope");
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::FILE* out = std::fopen(file().c_str(), "wb");
  if (out == nullptr) std::abort();
  std::fwrite(data, 1, size, out);
  std::fclose(out);
  try {
    opscope::readSession(file());
  } catch (const opscope::CannotRead&) {
    // refused, as it should be
  }
  std::filesystem::remove(file());
  return 0;
}
