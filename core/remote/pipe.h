// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <utility>

#include "remote/frame.h"

namespace opscope::remote {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset();
  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

/// Both ends of a pipe, closed on exec. Throws EngineDied when the system has no more.
struct Pipe {
  Descriptor read;
  Descriptor write;
};
Pipe openPipe();

/// An event that wakes a poll: raise() from any thread, also more than once; clear() by whoever was woken.
class WakeUp {
 public:
  WakeUp();
  void raise() const;
  void clear() const;
  int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
};

/// Writes all of it, waiting while the reader is slow, at most `patience` for each piece (negative: for
/// ever). False when nobody reads any more, or not in time. Never raises SIGPIPE.
bool writeAll(int descriptor, ByteView bytes, std::chrono::milliseconds patience);

/// Appends what can be read now, at most `most` bytes; waits if there is nothing and the descriptor blocks.
/// False at the end of the stream or when it cannot be read.
bool readSome(int descriptor, Bytes& into, std::size_t most);

}  // namespace opscope::remote
