// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/bracket_scan.h"
#include "import/byte_source.h"

namespace opscope {

/// The text of a Chrome trace in pieces that a JSON parser can take one by one: memory is bounded by the
/// longest event, not by the file. Only the outermost object (or array) is read here. One thread.
class TraceText {
 public:
  /// What one event, or one other member of the outermost object, may be long at most.
  static constexpr std::size_t kLongest = std::size_t{16} << 20;
  /// How many bytes stay readable behind every piece: what the parser asks for.
  static constexpr std::size_t kPadding = 128;
  /// What is read at once: enough for the parser to run at full speed, little enough for a cache.
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

  struct Piece {
    enum class Kind : std::uint8_t {
      Events,  ///< "[...]": some events, complete
      Member,  ///< another member of the outermost object; `text` is empty where it is too long to be kept
      End,
    } kind = Kind::End;
    std::string key;           ///< of a member, as it is written between its quotes
    std::string_view text;     ///< until the next piece is asked for
    std::uint64_t offset = 0;  ///< of the first byte of `text`, in the (decompressed) file
  };

  explicit TraceText(ByteSource& source);

  /// Throws BadInput with the byte offset: no JSON object or array, truncated, an event that is too long.
  Piece next();
  bool sawEvents() const { return sawEvents_; }

 private:
  enum class Place : std::uint8_t { Start, FirstMember, Members, InEvents, AfterEvents, End };

  bool fill();
  void requireMore(const char* inWhat);
  char peek(const char* inWhat);
  void expect(char c, const char* inWhat);
  std::string readKey();
  bool nextMember(Piece& piece);
  void readMember(Piece& piece);
  Piece readEvents();
  bool endOfText();
  void replace(std::size_t at, char c);
  void restore();
  std::uint64_t offsetOf(std::size_t at) const { return base_ + at; }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const;

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // what is not yet given out: [begin_, end_)
  std::size_t end_ = 0;
  std::uint64_t base_ = 0;  // of buffer_[0] in the text
  BracketScan scan_;
  std::size_t scanned_ = 0;  // events: up to here
  // What stands where a piece was closed, until the next one is asked for.
  std::vector<std::pair<std::size_t, char>> replaced_;
  bool firstEvents_ = true;
  bool rootIsArray_ = false;
  bool sawEvents_ = false;
  Place place_ = Place::Start;
};

}  // namespace opscope
