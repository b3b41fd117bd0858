// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "import/made_trace.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// `text` is refused, with `why` in the sentence and the byte at which `at` stands.
void refused(const std::string& text, const std::string& at, const char* why) {
  INFO(text);
  CHECK_THROWS_WITH(imported(text),
                    ContainsSubstring(why) && ContainsSubstring("byte " + std::to_string(text.find(at))));
  CHECK_THROWS_AS(imported(text), BadInput);
}

std::string kernelWith(const std::string& members) {
  return R"([{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7)" + members + "}]";
}

}  // namespace

TEST_CASE("a value of the wrong type is refused with its place") {
  refused("[5]", "5", "an event should be an object");
  refused("[{}, [1]]", "[1]", "an event should be an object");
  refused(R"([{"ph": 1}])", "1", "\"ph\" should be a string");
  refused(R"([{"cat": []}])", "[]", "\"cat\" should be a string");
  refused(R"([{"cat": "kernel", "name": null}])", "null", "\"name\" should be a string");
  refused(kernelWith(R"(, "ts": "1", "dur": 1)"), "\"1\"", "\"ts\" should be a number");
  refused(kernelWith(R"(, "ts": 1, "dur": {"a": 1})"), "{\"a\"", "\"dur\" should be a number");
  refused(kernelWith(R"(, "ts": 1e300, "dur": 1)"), "1e300", "less than 127 years");
  refused(kernelWith(R"(, "ts": 1, "dur": 01)"), "01", "\"dur\" should be a number");
  refused(kernelWith(R"(, "ts": 1, "dur": 1, "args": [])"), "[]}", "\"args\" should be an object");
  refused(kernelWith(R"(, "args": {"correlation": 1.5}, "ts": 1, "dur": 1)"), "1.5",
          "\"correlation\" should be an integer");
  refused(kernelWith(R"(, "args": {"stream": "x"}, "ts": 1, "dur": 1)"), "\"x\"",
          "\"stream\" should be an integer");
  refused(kernelWith(R"(, "args": {"correlation": 4294967296}, "ts": 1, "dur": 1)"), "4294967296",
          "larger than any id");
  refused(kernelWith(R"(, "args": {"grid": [1, 2, 3, 4]}, "ts": 1, "dur": 1)"), "4]", "three sizes");
  refused(kernelWith(R"(, "args": {"grid": 1}, "ts": 1, "dur": 1)"), "1}", "");
}

TEST_CASE("an event that lacks what a record needs is refused") {
  refused(kernelWith(R"(, "dur": 1)"), "{\"ph\"", "this event has no \"ts\"");
  refused(kernelWith(R"(, "ts": 1)"), "{\"ph\"", "this event has no \"dur\"");
  refused(R"([{"ph": "X", "cat": "kernel", "ts": 1, "dur": 1}])", "{\"ph\"", "no \"name\"");
  refused(R"([{"ph": "B", "cat": "kernel", "name": "k", "ts": 1}])", "{\"ph\"", "complete event");
  refused(R"([{"cat": "Memcpy", "name": "k", "ts": 1, "dur": 1}])", "{\"cat\"", "complete event");
  refused(kernelWith(R"(, "ts": 1, "dur": -0.5)"), "-0.5", "ends before it starts");
  refused(kernelWith(R"(, "ts": 3999999999999999, "dur": 2)"), "3999999999999999", "127 years");
}

TEST_CASE("durations that no integer holds together are refused") {
  std::string events;
  for (int i = 0; i < 3; ++i) events += (i == 0 ? "" : ",") + kernelEvent("-1", "3999999999999999", i);
  CHECK_THROWS_WITH(imported(traceWith(events)), ContainsSubstring("more than 292 years"));
}

TEST_CASE("text that is no JSON is refused with its place") {
  refused("[{\"a\": \"x\x01y\"}]", "\x01", "control character 0x01");
  refused("[{\"a\": \"x\xff\"}]", "\xff", "byte 0xff is no UTF-8");
  refused("[{\"a\": \"x\xc3\x28\"}]", "\xc3", "byte 0xc3 is no UTF-8");
  refused("[{\"cat\" \"kernel\"}]", "\"kernel", "");
  refused("[{\"ph\": \"X\", }]", "}]", "");
  refused(R"([{"ph": "X", "name": "\q", "cat": "kernel", "ts": 1, "dur": 1}])", "\"\\q", "");
}

TEST_CASE("an event that is not closed where it seems to be does not lead behind its piece") {
  CHECK_THROWS_AS(imported(R"({"traceEvents":[{"ph":"X","cat":"x":1},{}],"b":[1,2,3]})"), BadInput);
  CHECK_THROWS_AS(imported(R"([{"ph":"X","cat":"x":1, "a": {}},{}])"), BadInput);
  std::string events;
  for (int i = 0; i < 5'000; ++i)
    events += (i == 0 ? "" : ",") + std::string(i % 7 == 3 ? R"({"cat":"x":1})" : R"({"cat":"x","y":1})");
  CHECK_THROWS_AS(imported(traceWith(events)), BadInput);
  CHECK_THROWS_AS(imported(R"({"deviceProperties":[{"name":"x":1}],"traceEvents":[],"b":[1,2,3]})"),
                  BadInput);
}

TEST_CASE("offsets count from the beginning of the file, however far in they are") {
  std::string events;
  for (int i = 0; i < 20'000; ++i) events += kernelEvent(std::to_string(i), "1", i) + ",";
  refused(traceWith(events + R"({"ph": "X", "cat": "kernel", "ts": 7})"),
          R"({"ph": "X", "cat": "kernel", "ts": 7)", "no \"dur\"");
  const std::string bad = traceWith(events + R"({"ph": false})");
  refused(bad, "false", "\"ph\" should be a string");
  CHECK_THROWS_WITH(imported(gzipped(bad)), ContainsSubstring("byte " + std::to_string(bad.find("false"))));
}

TEST_CASE("what operators and annotations carry may be of any type") {
  const std::string odd =
      R"x("args": {"stream": "x", "grid": "grid(100,)", "correlation": [1], "bytes": 1.5})x";
  CHECK(imported(R"([{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1, )" + odd + "}]").events ==
        1);
  CHECK(imported(R"([{)" + odd + R"(, "ph": "X", "cat": "user_annotation", "name": "a", "ts": 1, "dur": 1}])")
            .annotations.size() == 1);
  refused(R"([{)" + odd + R"(, "ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 1}])", "\"x\"",
          "\"stream\" should be an integer");
}

TEST_CASE("a trace of nothing but other things says what it lacks") {
  CHECK_THROWS_WITH(imported("{}"), ContainsSubstring("no array \"traceEvents\""));
  CHECK_THROWS_WITH(imported(R"({"traceEvents": {}})"), ContainsSubstring("no array \"traceEvents\""));
  CHECK(imported("[]").events == 0);
  CHECK_THROWS_WITH(imported(R"({"baseTimeNanoseconds": "x", "traceEvents": []})"),
                    ContainsSubstring("baseTimeNanoseconds") && ContainsSubstring("byte 24"));
}

TEST_CASE("a compressed trace that is damaged or cut says at which byte") {
  const std::string whole = gzipped(readText(madeTrace("kineto-steps.json")));
  CHECK_THROWS_WITH(imported(whole.substr(0, whole.size() / 2)),
                    ContainsSubstring("ends in the middle, after"));
  CHECK_THROWS_WITH(imported(whole.substr(0, 5)), ContainsSubstring("ends in the middle, after 5 bytes"));
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
  CHECK_THROWS_AS(imported(damaged), BadInput);
  damaged = whole;
  damaged[whole.size() - 6] = static_cast<char>(damaged[whole.size() - 6] ^ 1);  // its checksum
  CHECK_THROWS_WITH(imported(damaged), ContainsSubstring("is damaged at byte"));
}

TEST_CASE("a file that cannot be read says why") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(importTrace(folder / "none.json"), CannotRead);
  CHECK_THROWS_WITH(importTrace(folder.path()), ContainsSubstring("is a folder"));
  writeText(folder / "short.json", R"({"traceEvents": [{"ph")");
  CHECK_THROWS_WITH(importTrace(folder / "short.json"), ContainsSubstring("short.json") &&
                                                            ContainsSubstring("truncated") &&
                                                            ContainsSubstring("byte 22"));
}
