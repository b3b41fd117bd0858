// SPDX-License-Identifier: Apache-2.0
#include "remote/frame.h"

#include <fmt/format.h>

namespace opscope::remote {
namespace {

constexpr std::size_t kPrefix = 4;

}  // namespace

Bytes frameOf(ByteView payload) {
  if (payload.size() > kFrameLimit)
    throw ProtocolError(
        fmt::format("A message of {} bytes is over the limit of {}", payload.size(), kFrameLimit));
  Bytes frame;
  frame.reserve(kPrefix + payload.size());
  for (std::size_t i = 0; i < kPrefix; ++i)
    frame.push_back(static_cast<std::uint8_t>(payload.size() >> (8 * i)));
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

void FrameDecoder::add(ByteView bytes) {
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > buffer_.size() / 2) {
    // Never more than half of it is dead, and each byte is moved at most once for each byte taken.
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

std::optional<Bytes> FrameDecoder::next() {
  if (pending() < kPrefix) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kPrefix; ++i) length |= std::size_t{buffer_[begin_ + i]} << (8 * i);
  if (length == 0) throw ProtocolError("A message of 0 bytes");
  if (length > limit_)
    throw ProtocolError(fmt::format("A message of {} bytes is over the limit of {}", length, limit_));
  if (pending() < kPrefix + length) return std::nullopt;
  const auto from = buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + kPrefix);
  Bytes payload(from, from + static_cast<std::ptrdiff_t>(length));
  begin_ += kPrefix + length;
  return payload;
}

}  // namespace opscope::remote
