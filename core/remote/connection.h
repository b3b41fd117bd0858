// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "remote/child.h"
#include "remote/values.h"

namespace opscope::remote {

/// A child that speaks the protocol: what it says, and the last lines of its log. One thread.
class Connection {
 public:
  /// Starts the child and says hello. Throws EngineDied.
  explicit Connection(const std::vector<std::string>& words);

  /// Waits for something to read or for `wake`, at most so long; then reads what there is and gives each
  /// whole message to `take`, which may throw. False when the child has closed its output. Throws
  /// ProtocolError.
  bool listen(int wake, std::chrono::milliseconds patience, const std::function<void(const Json&)>& take);
  /// False when the child does not read.
  bool say(const Json& message);

  /// The engine's hello; nothing until it came.
  const std::optional<Hello>& engine() const { return engine_; }
  /// How long nothing has come although this side listened.
  std::chrono::milliseconds silence() const;
  std::chrono::milliseconds age() const;

  /// Says goodbye and waits, at most so long, then ends it. How it ended, in words.
  std::string close(std::chrono::milliseconds patience);
  /// The last lines of its log, joined; empty when it had none.
  std::string log();
  /// What it wrote instead of the protocol, for a person to read.
  std::string strayOutput() const;

 private:
  void readLog();

  Child child_;
  FrameDecoder decoder_;
  Bytes buffer_;
  std::optional<Hello> engine_;
  std::string logTail_;
  std::string firstBytes_;
  std::chrono::steady_clock::time_point born_, heard_;
};

}  // namespace opscope::remote
