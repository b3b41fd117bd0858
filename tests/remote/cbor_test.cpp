// SPDX-License-Identifier: Apache-2.0
#include "remote/cbor.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <random>

using namespace opscope::remote;

namespace {

Bytes bytesOfText(const char* text) {
  return {text, text + std::char_traits<char>::length(text)};
}

}  // namespace

TEST_CASE("what is written is read back, every kind of value") {
  const Json message{{"text", "ä \"quoted\""},
                     {"whole", std::numeric_limits<std::int64_t>::min()},
                     {"large", std::numeric_limits<std::uint64_t>::max()},
                     {"real", 0.1 + 0.2},
                     {"yes", true},
                     {"nothing", nullptr},
                     {"list", {1, "two", Json::array()}},
                     {"map", {{"inner", Json::object()}}},
                     {"bytes", bytesOf({0, 255, 7})}};
  CHECK(decode(encode(message)) == message);
}

TEST_CASE("a message that is cut anywhere is refused") {
  const Bytes whole =
      encode({{"a", 1000}, {"b", {1, 2, "three"}}, {"c", bytesOf(Bytes(300, 9))}, {"d", 0.5}});
  REQUIRE_NOTHROW(decode(whole));
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    CHECK_THROWS_AS(decode(ByteView(whole).first(cut)), ProtocolError);
  Bytes longer = whole;
  longer.push_back(0xf6);
  CHECK_THROWS_AS(decode(longer), ProtocolError);
}

TEST_CASE("what would exhaust the stack or the memory is refused before it does") {
  // Ten million levels of lists, of maps, and of chunks of a text.
  CHECK_THROWS_AS(decode(Bytes(10'000'000, 0x81)), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes(10'000'000, 0xa1)), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes(10'000'000, 0x7f)), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes(10'000'000, 0x5f)), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes(10'000'000, 0x9f)), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes(10'000'000, 0xc1)), ProtocolError);
  // A list of 2^60 entries, a text of 2^63 bytes, a map of 2^63 pairs.
  CHECK_THROWS_AS(decode(Bytes{0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0}), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes{0x7b, 0x80, 0, 0, 0, 0, 0, 0, 0}), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes{0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0}), ProtocolError);
  // More small items than a message has.
  Bytes many{0xa1, 0x61, 'a', 0x9a, 0x00, 0x1e, 0x84, 0x80};  // {"a": [2,000,000 numbers]}
  many.insert(many.end(), 2'000'000, 0x00);
  CHECK_THROWS_AS(decode(many), ProtocolError);
}

TEST_CASE("only maps with texts as keys are messages") {
  CHECK_THROWS_AS(decode({}), ProtocolError);
  CHECK_THROWS_AS(decode(encode(Json::array({1, 2}))), ProtocolError);
  CHECK_THROWS_AS(decode(encode("text")), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes{0xa1, 0x01, 0x02}), ProtocolError);  // {1: 2}
  CHECK_THROWS_AS(decode(bytesOfText("Welcome to gpu-box\n")), ProtocolError);
  CHECK(decode(Bytes{0xa0}) == Json::object());
}

TEST_CASE("random bytes, and a message with bytes changed, are read or refused") {
  std::mt19937 random(11);
  const Bytes good =
      encode({{"type", "records"}, {"count", 3}, {"start", bytesOf(Bytes(24, 1))}, {"list", {1, 2.5, "x"}}});
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = good;
    if (i % 2 == 0) {
      bytes.resize(random() % 64);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    } else {
      for (int change = 0; change < 3; ++change)
        bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    try {
      decode(bytes);
    } catch (const ProtocolError&) {
      ++refused;
    }
  }
  CHECK(refused > 10'000);
}

TEST_CASE("fields are read by name and type") {
  const Json message{{"text", "a"},           {"minus", -1},          {"large", std::uint64_t{1} << 40},
                     {"real", 1.5},           {"flag", false},        {"null", nullptr},
                     {"list", Json::array()}, {"bytes", bytesOf({1})}};
  const Fields of(message, "A message");
  CHECK(of.text("text") == "a");
  CHECK(of.integer<int>("minus") == -1);
  CHECK(of.integer<std::int64_t>("large") == std::int64_t{1} << 40);
  CHECK(of.real("real") == 1.5);
  CHECK(of.real("minus") == -1.0);
  CHECK_FALSE(of.flag("flag"));
  CHECK(of.bytes("bytes") == Bytes{1});
  CHECK_FALSE(of.has("null"));
  CHECK_FALSE(of.has("missing"));
  CHECK_THROWS_AS(of.text("missing"), ProtocolError);
  CHECK_THROWS_AS(of.text("minus"), ProtocolError);
  CHECK_THROWS_AS(of.integer<std::uint32_t>("minus"), ProtocolError);
  CHECK_THROWS_AS(of.integer<std::uint32_t>("large"), ProtocolError);
  CHECK_THROWS_AS(of.integer<int>("real"), ProtocolError);
  CHECK_THROWS_AS(of.flag("text"), ProtocolError);
  CHECK_THROWS_AS(of.real("text"), ProtocolError);
  CHECK_THROWS_AS(of.list("text"), ProtocolError);
  CHECK_THROWS_AS(of.map("list"), ProtocolError);
  CHECK_THROWS_AS(of.bytes("text"), ProtocolError);
  CHECK_THROWS_AS(Fields(Json::array(), "A list"), ProtocolError);
}
