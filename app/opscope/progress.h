// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "engine/engine.h"

namespace opscope::cli {

/// One line on a terminal, rewritten in place. The engine's thread only leaves its progress here; the main
/// thread draws, so that a slow terminal never holds up a measurement.
class ProgressLine {
 public:
  /// Draws nothing when `wanted` is false or standard error is no terminal.
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool active() const { return active_; }
  void set(const Progress& progress);  ///< any thread
  void draw();                         ///< main thread
  void clear();                        ///< main thread

 private:
  bool active_;
  std::mutex mutex_;
  std::optional<Progress> latest_;
  std::string drawn_;
};

/// "measure one-pass, pass 3 of 6, iteration 40 of 100, 2 s left".
std::string progressText(const Progress& progress);

}  // namespace opscope::cli
