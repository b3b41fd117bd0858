// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "remote/pipe.h"

namespace opscope::remote {

/// A program that runs beside this one, with pipes to its standard input, output and error. It has a session
/// and so a process group of its own: a Ctrl+C at our terminal does not reach it, and it cannot ask our
/// terminal for a password. It does not outlive its owner: the destructor ends the whole group and reaps it,
/// and when this process dies without one, or the thread that started it ends, the system ends it.
class Child {
 public:
  /// Throws EngineDied when it cannot be started.
  explicit Child(const std::vector<std::string>& words);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  int input() const { return input_.get(); }    ///< to write to; does not block
  int output() const { return output_.get(); }  ///< to read from
  int errors() const { return errors_.get(); }  ///< to read from; does not block
  void closeInput() { input_.reset(); }
  void closeErrors() { errors_.reset(); }

  /// Waits at most so long for it to end by itself; then tells it to, and 500 ms later makes it. How it
  /// ended, as waitpid says.
  int end(std::chrono::milliseconds patience);

 private:
  bool endedWithin(std::chrono::milliseconds patience) const;

  pid_t pid_ = -1;
  Descriptor input_, output_, errors_;
  std::optional<int> status_;
};

/// "ended with exit code 3", "was ended by SIGKILL", for what waitpid says; exit codes over 128 are a shell's
/// word for a signal.
std::string describeStatus(int status);

}  // namespace opscope::remote
