// SPDX-License-Identifier: Apache-2.0
//
// make_trace MEGABYTES: a synthetic trace on standard output, for measuring what importing one costs.
#include <cstdio>
#include <cstdlib>

#include "synthetic_trace.h"

int main(int argc, char** argv) {
  const double megabytes = argc == 2 ? std::atof(argv[1]) : 0;
  if (!(megabytes > 0 && megabytes < 1e6)) {
    std::fputs("usage: make_trace MEGABYTES > trace.json\n", stderr);
    return 2;
  }
  bool written = true;
  const auto events = opscope::bench::writeSyntheticTrace(
      static_cast<std::uint64_t>(megabytes * 1e6), [&written](std::string_view text) {
        written = written && std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
      });
  if (!written || std::fflush(stdout) != 0) {
    std::perror("make_trace");
    return 1;
  }
  std::fprintf(stderr, "%llu events\n", static_cast<unsigned long long>(events));
  return 0;
}
