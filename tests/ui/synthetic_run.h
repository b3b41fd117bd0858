// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "session/run.h"

namespace opscope::uitest {

/// Builds a trace iteration by iteration; times in ns from the start of the iteration's first kernel.
class TraceBuilder {
 public:
  explicit TraceBuilder(Ns epoch = 1'700'000'000'000'000'000);

  void begin();
  /// A kernel with the launch call [launchStart, launchStart + 800) that issued it.
  std::uint32_t kernel(const char* name, Ns start, Ns length, std::uint32_t stream, Ns launchStart);
  /// A kernel whose launch carries no id of the pass.
  std::uint32_t strayKernel(const char* name, Ns start, Ns length);
  void copy(Ns start, Ns length, std::int64_t bytes, Ns launchStart);
  void end(Ns drained);

  Trace trace;

 private:
  std::uint32_t launch(const char* api, LaunchKind kind, Ns start);

  Ns at_;
  std::uint32_t correlation_ = 0;
  bool open_ = false;
};

/// Two implementations measured A B B A with 20 iterations a pass. "one-pass" is one kernel of 12 500 ns + 10
/// ns per iteration; "eager" has four kernels on streams 7 and 9, of which two overlap, a copy, and two gaps:
/// [3000, 10400) host-late and [15000, 15700) queued.
std::shared_ptr<Run> syntheticRun();

/// The same, but B's passes fail with this code of the method's section 3, by a trace that makes attribute()
/// refuse it (MixedMethods: by the run as a whole).
std::shared_ptr<Run> failingRun(ErrorCode code);

/// One pass with one iteration of `kernels` kernels one after the other: 700 ns each, 300 ns apart.
std::shared_ptr<Run> longRun(std::uint32_t kernels);

/// One pass of "eager" that marks itself on thread 4242: "forward" [-5800, 8800) around "norm" [-5500, 6000)
/// and "scale" [6500, 8500) in each iteration. In iteration 3 also the mark "checkpoint" at -5700, "open"
/// from 7000 on, which never ends, "prefetch" (of the domain "loader") from 8000 to the first kernel of
/// iteration 4, and on thread 77 an end at -5900 of something that was begun before.
std::shared_ptr<Run> markedRun();

/// One implementation with one pass of this trace.
std::shared_ptr<Run> runOf(Trace trace);

/// A copy for a picture: what belongs to the one machine it was measured on is left out.
std::shared_ptr<Run> ofNoMachine(const Run& run);

}  // namespace opscope::uitest
