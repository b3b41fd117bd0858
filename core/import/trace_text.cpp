// SPDX-License-Identifier: Apache-2.0
#include "import/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace opscope {
namespace {

constexpr std::size_t kNowhere = BracketScan::kNowhere;

bool isSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

}  // namespace

TraceText::TraceText(ByteSource& source) : source_(source), buffer_(kPieceBytes + kPadding) {}

void TraceText::fail(std::size_t at, const std::string& what) const {
  throw BadInput(fmt::format("The trace is no valid JSON at byte {}{}: {}", offsetOf(at),
                             source_.compressed() ? " of its text" : "", what));
}

// More text behind what is there; false at its end.
bool TraceText::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    base_ += begin_;
    end_ -= begin_;
    scanned_ -= std::min(scanned_, begin_);
    begin_ = 0;
  }
  if (end_ == buffer_.size() - kPadding) {
    if (end_ >= kLongest)
      throw BadInput(fmt::format("An event of the trace, or a member of its outermost object, that begins at "
                                 "byte {} is longer than {} MB",
                                 offsetOf(begin_), kLongest >> 20),
                     "Opscope reads no trace with such a thing in it.");
    buffer_.resize(2 * end_ + kPadding);
  }
  const std::size_t got = source_.read({buffer_.data() + end_, buffer_.size() - kPadding - end_});
  end_ += got;
  return got > 0;
}

void TraceText::requireMore(const char* inWhat) {
  if (!fill())
    throw BadInput(
        fmt::format("The trace is truncated: its text ends at byte {}, in {}", offsetOf(end_), inWhat),
        "The program that wrote it may have been interrupted: record it again.");
}

// The next character that is no white space.
char TraceText::peek(const char* inWhat) {
  while (true) {
    while (begin_ < end_ && isSpace(buffer_[begin_])) ++begin_;
    if (begin_ < end_) return buffer_[begin_];
    requireMore(inWhat);
  }
}

void TraceText::expect(char c, const char* inWhat) {
  const char found = peek(inWhat);
  if (found != c) fail(begin_, fmt::format("'{}' should stand here, not {}", c, shown(found)));
  ++begin_;
}

bool TraceText::endOfText() {
  while (true) {
    while (begin_ < end_ && isSpace(buffer_[begin_])) ++begin_;
    if (begin_ < end_) return false;
    if (!fill()) return true;
  }
}

std::string TraceText::readKey() {
  constexpr const char* kWhere = "the name of a member";
  if (peek(kWhere) != '"') fail(begin_, "the name of a member, in quotes, should stand here");
  std::size_t length = 1;
  bool escaped = false;
  while (true) {
    for (; begin_ + length < end_; ++length) {
      const char c = buffer_[begin_ + length];
      if (!escaped && c == '"') {
        std::string key(buffer_.data() + begin_ + 1, length - 1);
        begin_ += length + 1;
        return key;
      }
      escaped = !escaped && c == '\\';
    }
    requireMore(kWhere);
  }
}

// A value of any kind, up to what ends it. One that is too long to be kept is passed over.
void TraceText::readMember(Piece& piece) {
  constexpr const char* kWhere = "a member of the outermost object";
  constexpr std::size_t kKept = std::size_t{1} << 20;
  const char first = peek(kWhere);
  piece.offset = offsetOf(begin_);
  scan_.restart(0);
  std::size_t length = 0;
  bool whole = true, scalar = first != '{' && first != '[', begun = false;
  if (first == ',' || first == '}' || first == ']') fail(begin_, "a value should stand here");
  while (true) {
    bool done = false;
    while (!done && begin_ + length < end_) {
      const char c = buffer_[begin_ + length];
      if (scalar && !scan_.inString() && begun && (c == ',' || c == '}' || c == ']' || isSpace(c))) {
        done = true;
        break;
      }
      const BracketScan::Found found =
          scan_.scan(scalar ? std::string_view(&c, 1)
                            : std::string_view(buffer_.data() + begin_ + length, end_ - begin_ - length),
                     scalar ? 0 : 1);
      begun = true;
      length += found.scanned;
      done = !scalar && found.closed != kNowhere;
    }
    if (done) break;
    if (length >= kKept) {
      whole = false;
      begin_ += length;
      length = 0;
    }
    requireMore(kWhere);
  }
  replace(begin_ + length, ' ');
  if (whole) piece.text = {buffer_.data() + begin_, length};
  begin_ += length;
}

// Where brackets do not match, the parser looks at the byte behind its text, and goes on when that is a
// comma.
void TraceText::replace(std::size_t at, char c) {
  replaced_.emplace_back(at, buffer_[at]);
  buffer_[at] = c;
}

void TraceText::restore() {
  for (const auto& [at, c] : replaced_) buffer_[at] = c;
  replaced_.clear();
}

// False at the end of the outermost object.
bool TraceText::nextMember(Piece& piece) {
  constexpr const char* kWhere = "the outermost object";
  const char c = peek(kWhere);
  if (c == '}') {
    ++begin_;
    return false;
  }
  if (place_ == Place::Members) {
    if (c != ',') fail(begin_, fmt::format("',' or '}}' should stand here, not {}", shown(c)));
    ++begin_;
  }
  piece.kind = Piece::Kind::Member;
  piece.key = readKey();
  expect(':', kWhere);
  return true;
}

TraceText::Piece TraceText::readEvents() {
  constexpr const char* kWhere = "the array of events";
  if (!firstEvents_) {
    const char c = peek(kWhere);
    if (c != ',' && c != ']') fail(begin_, fmt::format("',' or ']' should stand here, not {}", shown(c)));
    if (c == ']') {  // it was not seen before only when the text ended here
      ++begin_;
      place_ = Place::AfterEvents;
      return {};
    }
  }
  while (true) {
    if (scanned_ < end_) {
      const BracketScan::Found found = scan_.scan({buffer_.data() + scanned_, end_ - scanned_}, 1);
      Piece piece;
      piece.kind = Piece::Kind::Events;
      piece.offset = offsetOf(begin_);
      if (found.closed != kNowhere) {
        const std::size_t end = scanned_ + found.closed;
        if (buffer_[end] != ']') fail(end, "the array of events is closed by another bracket");
        scanned_ += found.scanned;
        place_ = Place::AfterEvents;
        std::size_t first = begin_ + 1;
        while (isSpace(buffer_[first])) ++first;
        if (!firstEvents_ && first == end) fail(end, "an event should stand behind the comma");
        buffer_[begin_] = '[';
        replace(end + 1, ' ');
        piece.text = {buffer_.data() + begin_, end + 1 - begin_};
        begin_ = end + 1;
        return piece;
      }
      const std::size_t from = scanned_;
      scanned_ += found.scanned;
      if (found.elementEnd != kNowhere) {
        const std::size_t end = from + found.elementEnd;
        buffer_[begin_] = '[';
        replace(end, ']');
        replace(end + 1, ' ');
        piece.text = {buffer_.data() + begin_, end + 1 - begin_};
        begin_ = end;
        firstEvents_ = false;
        return piece;
      }
    }
    requireMore(kWhere);
  }
}

TraceText::Piece TraceText::next() {
  restore();
  Piece piece;
  while (true) {
    switch (place_) {
      case Place::Start: {
        while (end_ < 3 && fill()) continue;
        if (std::string_view(buffer_.data(), end_).starts_with("\xef\xbb\xbf")) begin_ = 3;
        if (endOfText()) throw BadInput("The trace is empty: there is no text in it");
        const char c = buffer_[begin_];
        if (c != '{' && c != '[')
          throw BadInput(
              fmt::format("This is no trace: a JSON object or array should begin at byte {}, not {}",
                          offsetOf(begin_), shown(c)),
              "Opscope imports Chrome traces of the PyTorch profiler (.json, .json.gz).");
        rootIsArray_ = c == '[';
        place_ = rootIsArray_ ? Place::InEvents : Place::FirstMember;
        if (!rootIsArray_) {
          ++begin_;
          break;
        }
        sawEvents_ = true;
        scan_.restart(1);
        scanned_ = begin_ + 1;
        break;
      }
      case Place::FirstMember:
      case Place::Members: {
        if (!nextMember(piece)) {
          place_ = Place::End;
          break;
        }
        place_ = Place::Members;
        if (piece.key == "traceEvents" && peek("the array of events") == '[') {
          if (sawEvents_) fail(begin_, "a second array of events");
          sawEvents_ = true;
          scan_.restart(1);
          scanned_ = begin_ + 1;
          place_ = Place::InEvents;
          break;
        }
        readMember(piece);
        return piece;
      }
      case Place::InEvents:
        piece = readEvents();
        if (piece.kind == Piece::Kind::Events) return piece;
        break;
      case Place::AfterEvents:
        place_ = rootIsArray_ ? Place::End : Place::Members;
        break;
      case Place::End:
        if (!endOfText())
          fail(begin_, fmt::format("nothing should follow the trace, but {} does", shown(buffer_[begin_])));
        return {};
    }
  }
}

}  // namespace opscope
