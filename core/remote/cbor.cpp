// SPDX-License-Identifier: Apache-2.0
#include "remote/cbor.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace opscope::remote {
namespace {

// Walks over the items without recursion and without building anything: the library's reader calls itself
// for every level and every chunk of a text, which a few megabytes of one byte turn into a stack overflow.
class Walk {
 public:
  explicit Walk(ByteView in) : in_(in) {}

  void requireModest() {
    do {
      if (++items_ > kItemLimit) throw ProtocolError("A message of too many items");
      if (one()) continue;  // a map or list that is not empty: its items come next
      while (depth_ > 0 && --open_[depth_ - 1] == 0) --depth_;
    } while (depth_ > 0);
    if (at_ != in_.size()) throw ProtocolError("Something follows the end of a message");
  }

 private:
  std::size_t left() const { return in_.size() - at_; }

  // Reads one item; true when it opened a list or map with items to come.
  bool one() {
    if (left() == 0) cut();
    const std::uint8_t first = in_[at_++];
    const unsigned major = first >> 5, info = first & 31U;
    const std::uint64_t value = argument(info);
    switch (major) {
      case 0:
        return false;
      case 1:
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
          throw ProtocolError("A number below all that 64 bits hold");
        return false;
      case 2:
      case 3:
        if (value > left()) cut();
        at_ += value;
        return false;
      case 4:
      case 5:
        return open(value, major == 5 ? 2 : 1);
      case 6:
        throw ProtocolError("A message with tags");
      default:
        // false, true, null, and the floats of 2, 4 and 8 bytes
        if (info < 20 || info == 23 || info == 24) throw ProtocolError("A value of an unknown kind");
        return false;
    }
  }

  std::uint64_t argument(unsigned info) {
    if (info < 24) return info;
    if (info > 27) throw ProtocolError("A message with lengths left open");
    const std::size_t bytes = std::size_t{1} << (info - 24);
    if (left() < bytes) cut();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | in_[at_++];
    return value;
  }

  bool open(std::uint64_t count, std::uint64_t itemsEach) {
    if (count == 0) return false;
    if (count > left() / itemsEach) cut();  // each item takes a byte at least
    if (depth_ == kDepthLimit) throw ProtocolError("A message that is nested too deeply");
    open_[depth_++] = count * itemsEach;
    return true;
  }

  [[noreturn]] static void cut() { throw ProtocolError("A message that ends in the middle"); }

  ByteView in_;
  std::size_t at_ = 0;
  std::size_t items_ = 0;
  std::size_t depth_ = 0;
  std::array<std::uint64_t, kDepthLimit> open_{};  // items to come, of each level
};

}  // namespace

Bytes encode(const Json& message) {
  return Json::to_cbor(message);
}

Json decode(ByteView payload) {
  Walk(payload).requireModest();
  Json message = Json::from_cbor(payload.begin(), payload.end(), true, false);
  if (message.is_discarded() || !message.is_object())
    throw ProtocolError("A message that is no map of named values");
  return message;
}

Json bytesOf(Bytes bytes) {
  return Json::binary(std::move(bytes));
}

Fields::Fields(const Json& map, std::string_view what) : map_(map), what_(what) {
  if (!map.is_object()) throw ProtocolError(fmt::format("{} is no map of named values", what));
}

bool Fields::has(std::string_view name) const {
  const auto found = map_.find(name);
  return found != map_.end() && !found->is_null();
}

const Json& Fields::at(std::string_view name) const {
  const auto found = map_.find(name);
  if (found == map_.end()) wrong(name, "is missing");
  return *found;
}

const std::string& Fields::text(std::string_view name) const {
  const Json& value = at(name);
  if (!value.is_string()) wrong(name, "is no text");
  return value.get_ref<const std::string&>();
}

bool Fields::flag(std::string_view name) const {
  const Json& value = at(name);
  if (!value.is_boolean()) wrong(name, "is neither true nor false");
  return value.get<bool>();
}

double Fields::real(std::string_view name) const {
  const Json& value = at(name);
  if (!value.is_number()) wrong(name, "is no number");
  return value.get<double>();
}

const Json& Fields::list(std::string_view name) const {
  const Json& value = at(name);
  if (!value.is_array()) wrong(name, "is no list");
  return value;
}

const Json& Fields::map(std::string_view name) const {
  const Json& value = at(name);
  if (!value.is_object()) wrong(name, "is no map");
  return value;
}

const Bytes& Fields::bytes(std::string_view name) const {
  const Json& value = at(name);
  if (!value.is_binary()) wrong(name, "is no byte string");
  return value.get_binary();
}

void Fields::wrong(std::string_view name, std::string_view how) const {
  throw ProtocolError(fmt::format("{}: \"{}\" {}", what_, name, how));
}

const std::string& textOf(const Json& value, std::string_view what) {
  if (!value.is_string()) throw ProtocolError(fmt::format("{} is no text", what));
  return value.get_ref<const std::string&>();
}

}  // namespace opscope::remote
