// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace opscope::remote {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

/// No message is longer. What is longer by nature (a pass) crosses in pieces.
inline constexpr std::size_t kFrameLimit = std::size_t{64} << 20;

/// What came is not the protocol. Stays inside the room: a server ends with its sentence, a client makes it
/// an EngineDied.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A message as it goes over the wire: its length in 4 bytes, little-endian, then itself. Throws
/// ProtocolError for one over the limit.
Bytes frameOf(ByteView payload);

/// Finds the messages in a stream of bytes, however it is cut. Holds no more than what was added and not
/// taken.
class FrameDecoder {
 public:
  explicit FrameDecoder(std::size_t limit = kFrameLimit) : limit_(limit) {}
  void add(ByteView bytes);
  /// The next whole message; nothing while it is incomplete. Throws ProtocolError for a length of 0 or over
  /// the limit, as soon as the length is there; the stream cannot be read on after that.
  std::optional<Bytes> next();
  /// Bytes of a message that has not come whole.
  std::size_t pending() const { return buffer_.size() - begin_; }
  /// Them, for a message about what came instead of the protocol.
  ByteView rest() const { return ByteView(buffer_).subspan(begin_); }

 private:
  std::size_t limit_;
  Bytes buffer_;
  std::size_t begin_ = 0;  // what lies before has been taken
};

}  // namespace opscope::remote
