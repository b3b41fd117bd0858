// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "remote/cbor.h"
#include "trace/pass.h"

namespace opscope::remote {

/// So many records cross in one message at most: 4 MiB of kernels. A pass of any size then crosses in as much
/// memory as one such message takes on either side, beside the pass itself.
inline constexpr std::size_t kRecordsPerMessage = 65'536;

/// Gives a pass to `send` as messages: "pass", any number of "records", "pass_end". Each field of a kind of
/// record is one byte string of little-endian integers.
void sendPass(const Pass& pass, std::uint32_t id, const std::function<void(const Json&)>& send);

/// Puts a pass together again. Throws ProtocolError for messages out of order, for columns of other lengths
/// than said, and for records that point at nothing.
class PassReceiver {
 public:
  struct Received {
    std::uint32_t id = 0;
    std::shared_ptr<const Pass> pass;
  };
  void begin(const Json& message);
  void addRecords(const Json& message);
  /// Judges the pass; throws ProtocolError when that comes to something else than the sender's judgement.
  Received end(const Json& message);
  bool open() const { return pass_.has_value(); }

 private:
  Pass& requireOpen(const Json& message);

  std::uint32_t id_ = 0;
  std::optional<Pass> pass_;
};

}  // namespace opscope::remote
