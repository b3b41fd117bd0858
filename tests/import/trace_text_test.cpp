// SPDX-License-Identifier: Apache-2.0
#include "import/trace_text.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "import/made_trace.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

// Gives a text in steps of so many bytes.
class Dripping : public ByteSource {
 public:
  Dripping(std::string_view text, std::size_t step) : text_(text), step_(step) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t count = text_.copy(into.data(), std::min(step_, into.size()), at_);
    at_ += count;
    return count;
  }
  std::uint64_t storedRead() const override { return at_; }
  std::uint64_t storedSize() const override { return text_.size(); }
  bool compressed() const override { return false; }

 private:
  std::string_view text_;
  std::size_t step_;
  std::size_t at_ = 0;
};

struct Pieces {
  Json events = Json::array();
  std::vector<std::pair<std::string, std::string>> members;
};

// All pieces, each parsed by another parser and held against its place in the text.
Pieces piecesOf(ByteSource& source, std::string_view text) {
  Pieces pieces;
  TraceText cut(source);
  while (true) {
    const TraceText::Piece piece = cut.next();
    if (piece.kind == TraceText::Piece::Kind::End) return pieces;
    if (piece.kind == TraceText::Piece::Kind::Member) {
      pieces.members.emplace_back(piece.key, piece.text);
      CHECK(text.substr(piece.offset, piece.text.size()) == piece.text);
      continue;
    }
    // Its brackets are put there; what is between them stands in the text.
    CHECK(text.substr(piece.offset + 1, piece.text.size() - 2) ==
          piece.text.substr(1, piece.text.size() - 2));
    for (Json& event : Json::parse(piece.text)) pieces.events.push_back(std::move(event));
  }
}

Pieces piecesOf(std::string_view text) {
  return piecesOf(*traceOf(text), text);
}

const std::string kTricky = R"({"a": [1, {"b": "]}"}], "s" : "x,}\"" , "n":-1.5e3,"t":true,
 "traceEvents" : [ {"name": "}],[{", "args": {"x": [[], {}, {"y": "\\"}]}} , {"name":"\\\\\"]"},{},
 {"long": "                                                                                          {{{{{{{[[[[[[[" }]
 , "after": null , "o":{}})";

}  // namespace

TEST_CASE("a trace is cut between events, wherever its bytes end") {
  const Json whole = Json::parse(kTricky);
  for (std::size_t step = 1; step < kTricky.size() + 2; ++step) {
    Dripping source(kTricky, step);
    const Pieces pieces = piecesOf(source, kTricky);
    REQUIRE(pieces.events == whole["traceEvents"]);
    REQUIRE(pieces.members == std::vector<std::pair<std::string, std::string>>{{"a", R"([1, {"b": "]}"}])"},
                                                                               {"s", R"("x,}\"")"},
                                                                               {"n", "-1.5e3"},
                                                                               {"t", "true"},
                                                                               {"after", "null"},
                                                                               {"o", "{}"}});
  }
}

TEST_CASE("a trace that ends at any byte before its last is truncated") {
  for (std::size_t length = 0; length < kTricky.size(); ++length) {
    const std::string_view cut = std::string_view(kTricky).substr(0, length);
    INFO(length);
    CHECK_THROWS_AS(piecesOf(cut), BadInput);
  }
  CHECK_THROWS_WITH(piecesOf(kTricky.substr(0, 150)), ContainsSubstring("its text ends at byte 150"));
}

TEST_CASE("many events come in pieces that a cache holds") {
  std::string text = "[";
  for (int i = 0; i < 10'000; ++i) text += (i == 0 ? "" : ",\n") + kernelEvent(std::to_string(i), "1", i);
  text += "]";
  std::size_t pieces = 0, longest = 0;
  const auto source = traceOf(text);
  TraceText cut(*source);
  for (TraceText::Piece piece = cut.next(); piece.kind != TraceText::Piece::Kind::End; piece = cut.next()) {
    ++pieces;
    longest = std::max(longest, piece.text.size());
  }
  CHECK(pieces > text.size() / TraceText::kPieceBytes);
  CHECK(longest <= TraceText::kPieceBytes);
  CHECK(piecesOf(text).events == Json::parse(text));
}

TEST_CASE("an event longer than a piece is read, one longer than any is not") {
  const std::string longEvent = R"([{"a": ")" + std::string(3 * TraceText::kPieceBytes, 'x') + R"("}, {}])";
  CHECK(piecesOf(longEvent).events == Json::parse(longEvent));
  const std::string tooLong = R"([{}, {"a": ")" + std::string(TraceText::kLongest, 'x') + R"("}])";
  CHECK_THROWS_WITH(piecesOf(tooLong), ContainsSubstring("begins at byte 3 is longer than 16 MB"));
  const std::string deep = "[" + std::string(TraceText::kLongest + 10, '[');
  CHECK_THROWS_AS(piecesOf(deep), BadInput);
}

TEST_CASE("a member that is too long to be kept is passed over") {
  const std::string text = R"({"big": {"x": ")" + std::string(std::size_t{40} << 20, 'y') +
                           R"("}, "small": 1, "traceEvents": [{}]})";
  const auto source = traceOf(text);
  TraceText cut(*source);
  TraceText::Piece piece = cut.next();
  CHECK((piece.key == "big" && piece.text.empty()));
  piece = cut.next();
  CHECK((piece.key == "small" && piece.text == "1"));
  piece = cut.next();
  CHECK(piece.text == "[{}]");
}

TEST_CASE("what is no trace is refused with the byte at which it is none") {
  const auto refused = [](std::string_view text, const char* why) {
    INFO(text);
    CHECK_THROWS_WITH(piecesOf(text), ContainsSubstring(why));
  };
  refused("", "The trace is empty");
  refused("  \n ", "The trace is empty");
  refused("hello", "begin at byte 0, not 'h'");
  refused(
      "\x7f"
      "ELF",
      "not byte 0x7f");
  refused("  42", "begin at byte 2");
  refused("{\"a\" 1}", "byte 5: ':' should stand here, not '1'");
  refused("{a: 1}", "byte 1: the name of a member");
  refused("{\"a\": 1 \"b\": 2}", "byte 8: ',' or '}' should stand here");
  refused("{\"a\": , \"b\": 2}", "byte 6: a value should stand here");
  refused("{\"traceEvents\": []} x", "byte 20: nothing should follow");
  refused("{\"traceEvents\": [], \"traceEvents\": []}", "a second array of events");
  refused("[{}}", "closed by another bracket");
  refused("[{}] [", "byte 5: nothing should follow");
  refused("{\"traceEvents\": [{}", "ends at byte 19, in the array of events");
}

TEST_CASE("commas between events are asked for where a piece ends, too") {
  for (const char* text : {"[{} {}]", "[{},]", "[{},,{}]", "[{},{}]]"}) {
    for (const std::size_t step : {1, 2, 3, 4, 100}) {
      Dripping source(text, step);
      INFO(text << " in steps of " << step);
      const auto read = [&] {
        TraceText cut(source);
        for (TraceText::Piece piece = cut.next(); piece.kind != TraceText::Piece::Kind::End;
             piece = cut.next())
          if (!Json::accept(piece.text)) throw BadInput("by the parser");
      };
      CHECK_THROWS_AS(read(), BadInput);
    }
  }
}

TEST_CASE("a byte order mark is no part of the trace") {
  CHECK(piecesOf("\xef\xbb\xbf[{}]").events.size() == 1);
}
