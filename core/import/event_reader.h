// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "import/trace_builder.h"
#include "import/trace_text.h"

namespace opscope {

/// Reads the events of a Chrome trace, some at a time, and hands what is a record to a builder. One thread.
class EventReader {
 public:
  explicit EventReader(TraceBuilder& builder);
  ~EventReader();

  /// The events of one piece. Throws BadInput with the byte offset.
  void read(const TraceText::Piece& piece);
  /// Another member of the outermost object. Most say nothing that matters here.
  void readMember(const TraceText::Piece& piece);

  /// What the members said, once all were read.
  bool isKineto() const { return isKineto_; }
  bool isOpscope() const { return isOpscope_; }
  std::optional<std::int64_t> baseTimeNs() const { return baseTimeNs_; }

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
  bool isKineto_ = false;
  bool isOpscope_ = false;
  std::optional<std::int64_t> baseTimeNs_;
};

}  // namespace opscope
