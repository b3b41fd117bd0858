// SPDX-License-Identifier: Apache-2.0
#include "remote/records.h"

#include <catch2/catch_test_macros.hpp>

#include "session/synthetic.h"
#include "timing/pass.h"

using namespace opscope;
using namespace opscope::remote;
using namespace opscope::test;

namespace {

std::vector<Json> messagesOf(const Pass& pass, std::uint32_t id = 3) {
  std::vector<Json> messages;
  sendPass(pass, id, [&](const Json& message) { messages.push_back(decode(encode(message))); });
  return messages;
}

PassReceiver::Received receive(const std::vector<Json>& messages) {
  PassReceiver receiver;
  for (const Json& message : messages) {
    if (message.at("type") == "pass") receiver.begin(message);
    if (message.at("type") == "records") receiver.addRecords(message);
    if (message.at("type") == "pass_end") return receiver.end(message);
  }
  throw ProtocolError("no end");
}

// A run of one pass shows a pass as text, bit for bit.
std::string textOf(const Pass& pass) {
  Run run;
  run.passes.push_back(std::make_shared<Pass>(pass));
  return dump(run);
}

Pass judged(const Pass& pass) {
  Pass copy = pass;
  copy.clock = {};  // of a pass without a number it stays as it was
  judge(copy);
  return copy;
}

// One kernel and one launch per iteration, on an idle device.
Pass longPass(std::uint32_t iterations) {
  Pass pass;
  pass.method = "host-records";
  pass.trace.dropped.proven = true;
  pass.trace.oneClock = true;
  const std::uint32_t kernel = pass.trace.names.intern("kernel"), api = pass.trace.names.intern("launch");
  pass.trace.internShape({1, 1, 1, 1, 1, 1, 0, 0, 0});
  for (std::uint32_t i = 0; i < iterations; ++i) {
    const Ns at = 1'000'000 + Ns{i} * 10'000;
    pass.trace.launches.push_back({at, at + 1000, i + 1, 7, api, LaunchKind::Kernel});
    pass.trace.kernels.push_back({at + 2000, at + 5000 + i % 7, 0, 0, i + 1, kernel, 0, 0, 0, 0});
    pass.trace.externalIds.push_back({i, i + 1});
    pass.trace.iterations.push_back({at, at + 1000, at + 6000});
  }
  return judged(pass);
}

}  // namespace

TEST_CASE("a pass comes back as it was, bit for bit") {
  for (const auto& pass : syntheticRun().passes) {
    const Pass sent = judged(*pass);
    const auto [id, received] = receive(messagesOf(sent));
    CHECK(id == 3);
    CHECK(textOf(*received) == textOf(sent));
  }
  CHECK(textOf(*receive(messagesOf(judged(Pass{}))).pass) == textOf(judged(Pass{})));
}

TEST_CASE("a failure that does not follow from the records travels too") {
  Pass pass = longPass(3);
  pass.samples.clear();
  pass.gaps.clear();
  pass.failure = ErrorInfo{ErrorCode::NotSupported, "the hold ended too early", "", {}};
  const auto received = receive(messagesOf(pass)).pass;
  CHECK(received->failure == pass.failure);
  CHECK(received->samples.empty());
}

TEST_CASE("a long pass crosses in pieces of bounded size") {
  const std::uint32_t iterations = 150'000;
  const Pass pass = longPass(iterations);
  REQUIRE_FALSE(pass.failure);
  std::size_t largest = 0, pieces = 0;
  PassReceiver receiver;
  std::shared_ptr<const Pass> received;
  sendPass(pass, 0, [&](const Json& message) {
    const Bytes bytes = encode(message);
    largest = std::max(largest, bytes.size());
    ++pieces;
    const Json read = decode(bytes);
    if (read.at("type") == "pass") receiver.begin(read);
    if (read.at("type") == "records") receiver.addRecords(read);
    if (read.at("type") == "pass_end") received = receiver.end(read).pass;
  });
  CHECK(largest < std::size_t{5} << 20);
  // Three pieces each of kernels, launches, ids and marks, one of shapes, beginning and end.
  CHECK(pieces == 4 * 3 + 1 + 2);
  REQUIRE(received);
  CHECK(received->samples.size() == iterations);
  CHECK(textOf(*received) == textOf(pass));
}

TEST_CASE("columns that do not fit, and records that point at nothing, are refused") {
  const Pass pass = longPass(4);
  const std::vector<Json> good = messagesOf(pass);
  REQUIRE_NOTHROW(receive(good));
  const auto with = [&](const char* kind, const auto& change) {
    std::vector<Json> messages = good;
    for (Json& message : messages)
      if (message.value("kind", "") == kind) change(message);
    return messages;
  };
  const auto refused = [](const std::vector<Json>& messages) {
    CHECK_THROWS_AS(receive(messages), ProtocolError);
  };
  refused(with("kernels", [](Json& m) { m["count"] = 5; }));
  refused(with("kernels", [](Json& m) { m["count"] = kRecordsPerMessage + 1; }));
  refused(with("kernels", [](Json& m) { m["count"] = -1; }));
  refused(with("kernels", [](Json& m) { m["start"] = bytesOf(Bytes(31)); }));
  refused(with("kernels", [](Json& m) { m.erase("graph"); }));
  refused(with("kernels", [](Json& m) { m["name"] = bytesOf(Bytes(16, 9)); }));
  refused(with("kernels", [](Json& m) { m["shape"] = bytesOf(Bytes(16, 9)); }));
  refused(with("launches", [](Json& m) { m["kind_of"] = bytesOf(Bytes(4, 200)); }));
  refused(with("launches", [](Json& m) { m["api_name"] = bytesOf(Bytes(16, 9)); }));
  refused(with("launches", [](Json& m) { m["kind"] = "lunches"; }));
  refused(with("kernels", [](Json& m) { m["id"] = 4; }));
  Pass marked = longPass(1);
  marked.trace.ranges.push_back({1'000'100, 1'000'900, 0, 1, 7, RangeKind::Nested, RangeKnown::Whole});
  const std::vector<Json> ranges = messagesOf(marked);
  REQUIRE_NOTHROW(receive(ranges));
  const auto withRange = [&](const char* field, std::size_t bytes) {
    std::vector<Json> messages = ranges;
    for (Json& message : messages)
      if (message.value("kind", "") == "ranges") message[field] = bytesOf(Bytes(bytes, 9));
    return messages;
  };
  refused(withRange("name", 4));
  refused(withRange("domain", 4));
  refused(withRange("kind_of", 1));
  refused(withRange("known", 1));
  // A kernel shorter by a nanosecond: not what the sender judged.
  refused(with("kernels", [](Json& m) {
    Bytes end = m["end"].get_binary();
    ++end[0];
    m["end"] = bytesOf(end);
  }));
}

TEST_CASE("messages of a pass out of order are refused") {
  const std::vector<Json> good = messagesOf(longPass(2));
  PassReceiver receiver;
  CHECK_THROWS_AS(receiver.addRecords(good[1]), ProtocolError);
  CHECK_THROWS_AS(receiver.end(good.back()), ProtocolError);
  receiver.begin(good[0]);
  CHECK(receiver.open());
  CHECK_THROWS_AS(receiver.begin(good[0]), ProtocolError);
}

TEST_CASE("a header with a name twice, or a reading that is none, is refused") {
  Json begin = messagesOf(longPass(1)).front();
  begin["header"]["names"] = {"a", "a"};
  CHECK_THROWS_AS(PassReceiver().begin(begin), ProtocolError);
  begin["header"]["names"] = {1};
  CHECK_THROWS_AS(PassReceiver().begin(begin), ProtocolError);
  begin["header"]["names"] = Json::array();
  begin["header"]["telemetry"] = {{1, 2}};
  CHECK_THROWS_AS(PassReceiver().begin(begin), ProtocolError);
}
