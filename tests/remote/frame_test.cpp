// SPDX-License-Identifier: Apache-2.0
#include "remote/frame.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <random>

using namespace opscope::remote;

namespace {

Bytes bytesUpTo(std::size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes;
}

Bytes stream(const std::vector<Bytes>& payloads) {
  Bytes all;
  for (const Bytes& payload : payloads) {
    const Bytes frame = frameOf(payload);
    all.insert(all.end(), frame.begin(), frame.end());
  }
  return all;
}

}  // namespace

TEST_CASE("a frame is its length, little-endian, and its payload") {
  CHECK(frameOf(Bytes{7, 8, 9}) == Bytes{3, 0, 0, 0, 7, 8, 9});
  const Bytes longer = frameOf(bytesUpTo(0x0102));
  CHECK(longer[0] == 0x02);
  CHECK(longer[1] == 0x01);
  CHECK(longer.size() == 4 + 0x0102);
}

TEST_CASE("a stream that is cut at every byte gives the same frames") {
  const std::vector<Bytes> payloads{bytesUpTo(1), bytesUpTo(5), bytesUpTo(300), bytesUpTo(2)};
  const Bytes all = stream(payloads);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    CAPTURE(cut);
    FrameDecoder decoder;
    std::vector<Bytes> found;
    const auto take = [&](ByteView part) {
      decoder.add(part);
      while (auto payload = decoder.next()) found.push_back(std::move(*payload));
    };
    take(ByteView(all).first(cut));
    CHECK(found.size() <= payloads.size());
    take(ByteView(all).subspan(cut));
    CHECK(found == payloads);
    CHECK(decoder.pending() == 0);
  }
}

TEST_CASE("a stream that comes byte by byte gives the same frames") {
  const std::vector<Bytes> payloads{bytesUpTo(3), bytesUpTo(1), bytesUpTo(70)};
  FrameDecoder decoder;
  std::vector<Bytes> found;
  for (const std::uint8_t byte : stream(payloads)) {
    decoder.add(Bytes{byte});
    while (auto payload = decoder.next()) found.push_back(std::move(*payload));
  }
  CHECK(found == payloads);
}

TEST_CASE("a frame that ends early is pending, and never a frame") {
  const Bytes frame = frameOf(bytesUpTo(20));
  for (std::size_t cut = 0; cut < frame.size(); ++cut) {
    FrameDecoder decoder;
    decoder.add(ByteView(frame).first(cut));
    CHECK_FALSE(decoder.next());
    CHECK(decoder.pending() == cut);
  }
}

TEST_CASE("lengths of nothing and over the limit are refused as soon as they are there") {
  FrameDecoder decoder(100);
  decoder.add(Bytes{101, 0, 0, 0});
  CHECK_THROWS_AS(decoder.next(), ProtocolError);
  FrameDecoder zero;
  zero.add(Bytes{0, 0, 0, 0});
  CHECK_THROWS_AS(zero.next(), ProtocolError);
  FrameDecoder huge;
  huge.add(Bytes{0xff, 0xff, 0xff, 0xff});
  CHECK_THROWS_AS(huge.next(), ProtocolError);
  FrameDecoder text;  // what a login shell prints
  text.add(Bytes{'W', 'e', 'l', 'c', 'o', 'm', 'e'});
  CHECK_THROWS_AS(text.next(), ProtocolError);
  FrameDecoder exact(100);
  exact.add(frameOf(bytesUpTo(100)));
  CHECK(exact.next()->size() == 100);
  CHECK_THROWS_AS(frameOf(Bytes(kFrameLimit + 1)), ProtocolError);
}

TEST_CASE("any cutting of a long stream gives the same frames") {
  std::mt19937 random(7);
  std::vector<Bytes> payloads;
  for (int i = 0; i < 200; ++i) payloads.push_back(bytesUpTo(1 + random() % 5000));
  const Bytes all = stream(payloads);
  FrameDecoder decoder;
  std::vector<Bytes> found;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t count = std::min<std::size_t>(all.size() - at, 1 + random() % 9000);
    decoder.add(ByteView(all).subspan(at, count));
    at += count;
    while (auto payload = decoder.next()) found.push_back(std::move(*payload));
  }
  CHECK(found == payloads);
}
