// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/engine.h"
#include "remote/cbor.h"

namespace opscope::remote {

/// Rises with every change of a message. Both ends must have the same one, and the same Opscope and session
/// format: records are exchanged between equals only.
inline constexpr int kProtocolVersion = 3;

/// Who speaks. Each side says it first, before anything else.
struct Hello {
  int protocol = kProtocolVersion;
  std::string version;    ///< Opscope's
  int sessionFormat = 0;  ///< what runs are packed in
  std::string host;
  std::int64_t pid = 0;
  bool operator==(const Hello&) const = default;
};
Hello ownHello();
/// Why the two cannot work together, as one sentence; empty when they can.
std::string whyNotTogether(const Hello& engine, const Hello& client);

// Each pair writes a value as CBOR holds it, and reads it back. Reading throws ProtocolError. Writing takes
// the value apart into all its members by name, so that a new member does not compile before it travels.
Json toJson(const Hello& hello);
Hello helloFrom(const Json& json);
Json toJson(const ErrorInfo& error);
ErrorInfo errorFrom(const Json& json);
Json toJson(const Progress& progress);
Progress progressFrom(const Json& json);
Json toJson(const CatalogueInfo& catalogue);
CatalogueInfo catalogueFrom(const Json& json);
Json toJson(const std::vector<DeviceInfo>& devices);
std::vector<DeviceInfo> devicesFrom(const Json& json);
Json toJson(const std::vector<Check>& checks);
std::vector<Check> checksFrom(const Json& json);
Json toJson(const Job& job);
Job jobFrom(const Json& json);

}  // namespace opscope::remote
