// SPDX-License-Identifier: Apache-2.0
#include "import/event_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <limits>
#include <optional>

#include "base/error.h"
#include "import/decimal.h"
#include "import/event_words.h"
#include "import/text_damage.h"

namespace opscope {
namespace ondemand = simdjson::ondemand;
namespace {

static_assert(TraceText::kPadding >= simdjson::SIMDJSON_PADDING);

// A value as it is written, without the white space behind it; strings with their quotes.
std::string_view tokenOf(ondemand::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

bool isString(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"';
}

std::string_view inside(std::string_view quoted) {
  return quoted.substr(1, quoted.size() - 2);
}

// Old traces write numbers in quotes here and there.
std::string_view unquoted(std::string_view token) {
  return isString(token) ? inside(token) : token;
}

// What names of members are compared with stands behind their opening quote, up to their closing one.
bool isKey(const char* key, std::string_view quoted) {
  return std::string_view(key, quoted.size()) == quoted;
}

std::optional<std::int64_t> integerOf(std::string_view digits) {
  std::int64_t value = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> idOf(std::int64_t value) {
  if (value < 0 || value >= kUnknownId) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

// What a record needs of "args".
struct Args {
  std::optional<std::uint32_t> correlation, stream, device;
  std::int64_t bytes = 0;
  LaunchShape shape;
  std::uint32_t graphId = 0;
  std::uint64_t graphNodeId = 0;
};

struct Event {
  std::string_view phase, name, start, duration, process, thread;  // tokens; empty: not there
  std::optional<EventKind> kind;
  std::string unescaped;  // the name, where it has escapes
  bool hasEscapes = false;
  Args args;
  std::string_view at;  // its beginning
};

// Those of operators and annotations hold whatever somebody put there.
bool needsArgs(EventKind kind) {
  return kind == EventKind::Kernel || kind == EventKind::Copy || kind == EventKind::Set ||
         kind == EventKind::Api;
}

}  // namespace

class EventReader::Parser {
 public:
  explicit Parser(TraceBuilder& builder) : builder_(builder) {}

  void events(const TraceText::Piece& piece) {
    guarded(piece, [&](ondemand::document& document) {
      for (auto element : document.get_array()) {
        ondemand::value value = element.value();
        builder_.countEvent();
        const std::string_view token = tokenOf(value);
        if (token.front() != '{') fail(token, "an event should be an object");
        readEvent(value.get_object(), token);
      }
    });
  }

  void devices(const TraceText::Piece& piece) {
    guarded(piece, [&](ondemand::document& document) {
      for (auto element : document.get_array()) {
        ImportedDevice device;
        std::optional<std::uint32_t> id, major, minor;
        for (auto field : element.get_object()) {
          ondemand::value value = field.value();
          const char* const key = field.key().value().raw();
          if (isKey(key, "id\"")) id = smallNumber(tokenOf(value), "id");
          if (isKey(key, "name\"")) device.name = std::string(std::string_view(value.get_string()));
          if (isKey(key, "computeMajor\"")) major = smallNumber(tokenOf(value), "computeMajor");
          if (isKey(key, "computeMinor\"")) minor = smallNumber(tokenOf(value), "computeMinor");
        }
        if (!id) continue;
        device.id = *id;
        if (major && minor) device.architecture = fmt::format("sm_{}{}", *major, *minor);
        builder_.addDevice(std::move(device));
      }
    });
  }

 private:
  // Parses a piece, and says where it is damaged when it is.
  template <class Read>
  void guarded(const TraceText::Piece& piece, Read read) {
    piece_ = &piece;
    const std::size_t size = piece.text.size();
    ondemand::document document;
    if (const auto error = parser_.iterate(piece.text, size + TraceText::kPadding).get(document)) {
      const TextDamage damage = findDamage(piece.text);
      fail(piece.text.substr(damage.at),
           damage.what.empty() ? simdjson::error_message(error) : damage.what.c_str());
    }
    try {
      read(document);
    } catch (const simdjson::simdjson_error& error) {
      const char* at = nullptr;
      if (document.current_location().get(at)) at = piece.text.data() + size;
      fail(piece.text.substr(static_cast<std::size_t>(at - piece.text.data())), error.what());
    }
  }

  /// `at`: a part of the piece.
  [[noreturn]] void fail(std::string_view at, std::string_view what) const {
    const auto place = static_cast<std::uint64_t>(at.data() - piece_->text.data());
    throw BadInput(fmt::format("The trace cannot be read at byte {}: {}", piece_->offset + place, what));
  }

  void readEvent(ondemand::object object, std::string_view at);
  void readArgs(ondemand::value value, EventKind kind, Args& args);
  void readExtent(ondemand::value value, std::uint32_t& x, std::uint32_t& y, std::uint32_t& z);
  void keep(const Event& event);
  std::int64_t number(std::string_view token, std::string_view name) const;
  std::optional<std::uint32_t> smallNumber(std::string_view token, std::string_view name) const;
  Ns instant(std::string_view token, std::string_view name, const Event& event) const;
  std::uint32_t nameOf(const Event& event);
  std::uint64_t process(std::string_view token);
  std::uint32_t thread(std::string_view token);
  static std::optional<std::uint32_t> streamOfThread(std::string_view token);

  TraceBuilder& builder_;
  ondemand::parser parser_;
  const TraceText::Piece* piece_ = nullptr;
};

std::int64_t EventReader::Parser::number(std::string_view token, std::string_view name) const {
  const auto value = integerOf(unquoted(token));
  if (!value) fail(token, fmt::format("\"{}\" should be an integer", name));
  return *value;
}

// An id; nullopt for what stands for none: -1 and null.
std::optional<std::uint32_t> EventReader::Parser::smallNumber(std::string_view token,
                                                              std::string_view name) const {
  if (token == "null") return std::nullopt;
  const std::int64_t value = number(token, name);
  if (value > kUnknownId) fail(token, fmt::format("\"{}\" is larger than any id", name));
  return idOf(value);
}

Ns EventReader::Parser::instant(std::string_view token, std::string_view name, const Event& event) const {
  if (token.empty()) fail(event.at, fmt::format("this event has no \"{}\"", name));
  const auto value = nsOfMicroseconds(token);
  if (!value)
    fail(token, fmt::format("\"{}\" should be a number of microseconds, less than 127 years", name));
  return *value;
}

void EventReader::Parser::readExtent(ondemand::value value, std::uint32_t& x, std::uint32_t& y,
                                     std::uint32_t& z) {
  std::uint32_t extent[3] = {0, 0, 0};
  std::size_t at = 0;
  for (auto element : value.get_array()) {
    ondemand::value size = element.value();
    const std::string_view token = tokenOf(size);
    if (at == 3) fail(token, "a grid or block has three sizes");
    extent[at++] = smallNumber(token, "grid or block").value_or(0);
  }
  x = extent[0];
  y = extent[1];
  z = extent[2];
}

void EventReader::Parser::readArgs(ondemand::value value, EventKind kind, Args& args) {
  if (!needsArgs(kind)) return;
  const std::string_view whole = tokenOf(value);
  if (whole == "null") return;
  if (whole.front() != '{') fail(whole, "\"args\" should be an object");
  const bool kernel = kind == EventKind::Kernel;
  for (auto field : value.get_object()) {
    const char* const key = field.key().value().raw();
    ondemand::value member = field.value();
    const auto small = [&](std::string_view name) { return smallNumber(tokenOf(member), name); };
    if (isKey(key, "correlation\"")) {
      args.correlation = small("correlation");
    } else if (kind == EventKind::Api) {
      continue;  // what else it says may be of any kind
    } else if (isKey(key, "stream\"")) {
      args.stream = small("stream");
    } else if (isKey(key, "device\"")) {
      args.device = small("device");
    } else if (isKey(key, "graph id\"")) {
      args.graphId = small("graph id").value_or(0);
    } else if (!kernel) {
      if (isKey(key, "bytes\"")) args.bytes = number(tokenOf(member), "bytes");
    } else if (isKey(key, "graph node id\"")) {
      args.graphNodeId = static_cast<std::uint64_t>(number(tokenOf(member), "graph node id"));
    } else if (isKey(key, "grid\"")) {
      readExtent(member, args.shape.gridX, args.shape.gridY, args.shape.gridZ);
    } else if (isKey(key, "block\"")) {
      readExtent(member, args.shape.blockX, args.shape.blockY, args.shape.blockZ);
    } else if (isKey(key, "registers per thread\"")) {
      args.shape.registersPerThread = small("registers per thread").value_or(0);
    } else if (isKey(key, "static shared memory\"")) {
      args.shape.staticSharedBytes = small("static shared memory").value_or(0);
    } else if (isKey(key, "dynamic shared memory\"")) {
      args.shape.dynamicSharedBytes = small("dynamic shared memory").value_or(0);
    }
  }
}

void EventReader::Parser::readEvent(ondemand::object object, std::string_view at) {
  Event event;
  event.at = at;
  bool argsCameFirst = false;
  for (auto field : object) {
    const char* const key = field.key().value().raw();
    ondemand::value value = field.value();
    if (isKey(key, "ph\"")) {
      event.phase = tokenOf(value);
      if (!isString(event.phase)) fail(event.phase, "\"ph\" should be a string");
      // Flows, counters, names of threads: half of a trace.
      const std::string_view phase = inside(event.phase);
      if (phase != "X" && phase != "B" && phase != "E") return;
    } else if (isKey(key, "cat\"")) {
      const std::string_view category = tokenOf(value);
      if (!isString(category)) fail(category, "\"cat\" should be a string");
      event.kind = eventKindOf(inside(category));
      if (*event.kind == EventKind::Ignored) return;
    } else if (isKey(key, "name\"")) {
      event.name = tokenOf(value);
      if (!isString(event.name)) fail(event.name, "\"name\" should be a string");
      event.hasEscapes = event.name.find('\\') != std::string_view::npos;
      std::string_view unescaped;
      if (event.hasEscapes && value.get_string().get(unescaped) != simdjson::SUCCESS)
        fail(event.name, "this \"name\" has an escape that JSON does not know");
      if (event.hasEscapes) event.unescaped = std::string(unescaped);
    } else if (isKey(key, "ts\"")) {
      event.start = tokenOf(value);
    } else if (isKey(key, "dur\"")) {
      event.duration = tokenOf(value);
    } else if (isKey(key, "pid\"")) {
      event.process = tokenOf(value);
    } else if (isKey(key, "tid\"")) {
      event.thread = tokenOf(value);
    } else if (isKey(key, "args\"")) {
      if (event.kind)
        readArgs(value, *event.kind, event.args);
      else
        argsCameFirst = true;
    }
  }
  if (argsCameFirst && event.kind) {  // now it is known what they are to say
    object.reset();
    for (auto field : object) {
      ondemand::value value = field.value();
      if (isKey(field.key().value().raw(), "args\"")) readArgs(value, *event.kind, event.args);
    }
  }
  if (event.kind) keep(event);  // what has no category is no record
}

std::uint32_t EventReader::Parser::nameOf(const Event& event) {
  if (event.name.empty()) fail(event.at, "this event has no \"name\"");
  return builder_.name(event.hasEscapes ? std::string_view(event.unescaped) : inside(event.name));
}

// Processes are only told apart: a number, or a name that is one of this trace's.
std::uint64_t EventReader::Parser::process(std::string_view token) {
  if (const auto id = integerOf(unquoted(token))) return static_cast<std::uint64_t>(*id);
  return (std::uint64_t{1} << 63) | builder_.name(token);
}

std::uint32_t EventReader::Parser::thread(std::string_view token) {
  if (const auto id = integerOf(unquoted(token))) return static_cast<std::uint32_t>(*id);
  return builder_.name(token);
}

// Old traces say "stream 7" where new ones have a number.
std::optional<std::uint32_t> EventReader::Parser::streamOfThread(std::string_view token) {
  if (isString(token)) {
    token = inside(token);
    if (!token.starts_with("stream ")) return std::nullopt;
    token.remove_prefix(7);
  }
  const auto id = integerOf(token);
  return id ? idOf(*id) : std::nullopt;
}

void EventReader::Parser::keep(const Event& event) {
  const EventKind kind = *event.kind;
  const bool work = kind == EventKind::Kernel || kind == EventKind::Copy || kind == EventKind::Set;
  if (event.phase.empty() || inside(event.phase) != "X") {
    if (work)
      fail(event.at,
           "a kernel or copy should be a complete event (\"ph\": \"X\"), not the beginning or end of one");
    return;
  }
  const Args& args = event.args;
  if (kind == EventKind::Api && !args.correlation) return;  // launched nothing that can be told
  const Ns start = instant(event.start, "ts", event);
  const Ns length = instant(event.duration, "dur", event);
  if (length < 0) fail(event.duration, "\"dur\" is negative: this event ends before it starts");
  const Ns end = start + length;
  if (end > kFurthestNs) fail(event.start, "this event ends more than 127 years from the trace's 0");
  const std::uint32_t name = nameOf(event);
  const auto streamId = [&] {
    return args.stream ? *args.stream : streamOfThread(event.thread).value_or(kUnknownId);
  };
  const auto deviceId = [&] {
    if (args.device) return *args.device;
    const auto id = integerOf(event.process);
    return id ? idOf(*id).value_or(kUnknownId) : kUnknownId;
  };
  if (work && !builder_.addDuration(length))
    fail(event.duration, "the durations of the trace add up to more than 292 years");
  switch (kind) {
    case EventKind::Kernel:
      builder_.add(KernelRecord{.start = start,
                                .end = end,
                                .graphNodeId = args.graphNodeId,
                                .nameId = name,
                                .shapeId = builder_.shape(args.shape),
                                .streamId = streamId(),
                                .graphId = args.graphId,
                                .deviceId = deviceId()},
                   args.correlation);
      break;
    case EventKind::Copy:
    case EventKind::Set:
      builder_.add(
          MemopRecord{.start = start,
                      .end = end,
                      .bytes = args.bytes,
                      .streamId = streamId(),
                      .graphId = args.graphId,
                      .deviceId = deviceId(),
                      .kind = kind == EventKind::Set ? MemopKind::Set : copyKindOf(inside(event.name))},
          args.correlation);
      break;
    case EventKind::Api:
      builder_.add(LaunchRecord{.start = start,
                                .end = end,
                                .correlationId = *args.correlation,
                                .threadId = thread(event.thread),
                                .apiNameId = name,
                                .kind = launchKindOf(inside(event.name))},
                   process(event.process));
      break;
    case EventKind::Overhead:
      builder_.add(
          OverheadRecord{.start = start, .end = end, .nameId = name, .threadId = thread(event.thread)});
      break;
    case EventKind::Annotation:
      builder_.add(Annotation{start, end, name, process(event.process), thread(event.thread)});
      break;
    case EventKind::Ignored:
      break;
  }
}

EventReader::EventReader(TraceBuilder& builder) : parser_(std::make_unique<Parser>(builder)) {}
EventReader::~EventReader() = default;

void EventReader::read(const TraceText::Piece& piece) {
  parser_->events(piece);
}

void EventReader::readMember(const TraceText::Piece& piece) {
  if (piece.key == "schemaVersion") isKineto_ = true;
  if (piece.key == "opscope") isOpscope_ = true;
  if (piece.key == "baseTimeNanoseconds") {
    baseTimeNs_ = integerOf(piece.text);
    if (!baseTimeNs_)
      throw BadInput(fmt::format(
          "The trace cannot be read at byte {}: \"baseTimeNanoseconds\" should be an integer", piece.offset));
  }
  if (piece.key == "deviceProperties" && piece.text.starts_with('[')) parser_->devices(piece);
}

}  // namespace opscope
