// SPDX-License-Identifier: Apache-2.0
#include "import/import_trace.h"

#include <fstream>

#include "base/error.h"
#include "import/event_reader.h"
#include "import/nsight_reader.h"
#include "import/trace_builder.h"
#include "import/trace_text.h"

namespace opscope {
namespace {

ImportedTrace readAll(ByteSource& source, const ImportOptions& options) {
  TraceBuilder builder;
  EventReader reader(builder);
  TraceText text(source);
  while (true) {
    if (options.stop.stop_requested())
      throw Cancelled("The import was stopped before the end of the trace; nothing of it was kept");
    const TraceText::Piece piece = text.next();
    if (piece.kind == TraceText::Piece::Kind::End) break;
    if (piece.kind == TraceText::Piece::Kind::Events)
      reader.read(piece);
    else
      reader.readMember(piece);
    if (options.progress) options.progress({source.storedRead(), source.storedSize(), builder.events()});
  }
  if (!text.sawEvents())
    throw BadInput(
        "This is no trace: the JSON object has no array \"traceEvents\"",
        "Opscope imports traces of the PyTorch profiler (.json, .json.gz) and exports of Nsight Systems "
        "(.sqlite).");
  ImportedTrace trace = builder.finish(options.iterations);
  trace.tool = reader.isOpscope()  ? "Opscope (Chrome trace)"
               : reader.isKineto() ? "PyTorch profiler (Kineto)"
                                   : "an unknown program (Chrome trace)";
  trace.zeroUnixNs = reader.baseTimeNs();
  // Before it wrote a base, Kineto's instants were microseconds since 1970.
  if (!trace.zeroUnixNs && reader.isKineto()) trace.zeroUnixNs = 0;
  return trace;
}

}  // namespace

bool looksLikeTrace(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    return false;  // opening a pipe would wait for its writer
  std::ifstream stream(file, std::ios::binary);
  std::string first(256, '\0');
  stream.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(stream.gcount()));
  if (first.starts_with("\x1f\x8b") || looksLikeNsight(file)) return true;
  if (first.starts_with("\xef\xbb\xbf")) first.erase(0, 3);
  const std::size_t begin = first.find_first_not_of(" \t\r\n");
  return begin != std::string::npos && (first[begin] == '{' || first[begin] == '[');
}

ImportedTrace importTrace(ByteSource& source, const ImportOptions& options) {
  return readAll(source, options);
}

ImportedTrace importTrace(const std::filesystem::path& file, const ImportOptions& options) {
  if (looksLikeNsight(file)) return importNsight(file, options);
  const auto source = openTrace(file);
  try {
    return readAll(*source, options);
  } catch (const BadInput& error) {
    ErrorInfo info = error.info();
    info.place.file = file.string();
    throw BadInput(info.message, info.remedy, info.place);
  }
}

}  // namespace opscope
