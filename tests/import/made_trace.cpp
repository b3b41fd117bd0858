// SPDX-License-Identifier: Apache-2.0
#include "import/made_trace.h"

#include <fmt/format.h>
#include <zlib.h>

#include <stdexcept>

namespace opscope::test {

ImportedTrace imported(std::string_view text, const ImportOptions& options) {
  return importTrace(*traceOf(text), options);
}

std::string traceWith(const std::string& events) {
  return "{\"schemaVersion\": 1, \"traceEvents\": [\n" + events + "\n]}";
}

std::string kernelEvent(const std::string& ts, const std::string& dur, int correlation, int stream,
                        int device) {
  return fmt::format(
      R"({{"ph": "X", "cat": "kernel", "name": "k{2}", "pid": {4}, "tid": {3}, "ts": {0}, "dur": {1}, )"
      R"("args": {{"device": {4}, "stream": {3}, "correlation": {2}, "grid": [1, 1, 1], "block": [32, 1, 1]}}}})",
      ts, dur, correlation, stream, device);
}

std::string launchEvent(const std::string& ts, const std::string& dur, int correlation, int pid,
                        const std::string& name) {
  return fmt::format(
      R"({{"ph": "X", "cat": "cuda_runtime", "name": "{4}", "pid": {3}, "tid": {3}, "ts": {0}, )"
      R"("dur": {1}, "args": {{"cbid": 211, "correlation": {2}}}}})",
      ts, dur, correlation, pid, name);
}

std::string stepEvent(const std::string& name, const std::string& ts, const std::string& dur, int pid) {
  return fmt::format(
      R"({{"ph": "X", "cat": "user_annotation", "name": "{}", "pid": {}, "tid": 1, "ts": {}, "dur": {}}})",
      name, pid, ts, dur);
}

std::string gzipped(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("no memory for compressing");
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("not compressed");
  return out;
}

std::string madeTrace(const std::string& name) {
  return OPSCOPE_SOURCE_DIR "/tests/data/traces/" + name;
}

}  // namespace opscope::test
