// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "remote/frame.h"

namespace opscope::remote {

using Json = nlohmann::json;

/// Bounds of what is read, so that no message can exhaust the stack or the memory.
inline constexpr std::size_t kDepthLimit = 16;
inline constexpr std::size_t kItemLimit = 1'000'000;

/// The subset of CBOR that the protocol uses: definite lengths, no tags, maps with texts as keys.
Bytes encode(const Json& message);
/// Throws ProtocolError for everything else.
Json decode(ByteView payload);

/// A value of bytes, as columns and packed runs are sent.
Json bytesOf(Bytes bytes);

/// Reads the fields of one map by name and type. Throws ProtocolError, naming message and field, for what is
/// missing, of another type or out of range. Does not own the map.
class Fields {
 public:
  Fields(const Json& map, std::string_view what);

  bool has(std::string_view name) const;  ///< there, and not null
  const Json& at(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  bool flag(std::string_view name) const;
  double real(std::string_view name) const;
  const Json& list(std::string_view name) const;
  const Json& map(std::string_view name) const;
  const Bytes& bytes(std::string_view name) const;
  template <std::integral T>
  T integer(std::string_view name) const {
    return integerOf<T>(at(name), name);
  }
  /// One of `count` values of an enumeration, sent by its number.
  template <class Enum>
  Enum oneOf(std::string_view name, int count) const {
    const int value = integer<int>(name);
    if (value < 0 || value >= count) wrong(name, "is none of its values");
    return static_cast<Enum>(value);
  }
  template <std::integral T>
  T integerOf(const Json& value, std::string_view name) const {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (std::in_range<T>(number)) return static_cast<T>(number);
    } else if (value.is_number_integer()) {
      const auto number = value.get<std::int64_t>();
      if (std::in_range<T>(number)) return static_cast<T>(number);
    }
    wrong(name, "is no whole number that fits");
  }
  [[noreturn]] void wrong(std::string_view name, std::string_view how) const;

 private:
  const Json& map_;
  std::string_view what_;
};

/// A text where one is asked for, in a list.
const std::string& textOf(const Json& value, std::string_view what);

}  // namespace opscope::remote
