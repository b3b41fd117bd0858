// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace opscope {

/// A YAML document as plain values: what the rest of the reader sees of the YAML library. Every node knows
/// its place.
struct YamlTree {
  enum class Kind : std::uint8_t { Null, Scalar, Sequence, Map } kind = Kind::Null;
  std::string text;                                 ///< Scalar
  std::vector<YamlTree> items;                      ///< Sequence; Map: the values, in the order of the file
  std::vector<std::pair<std::string, Place>> keys;  ///< Map, one per item; no two alike
  Place place;

  const YamlTree* find(std::string_view key) const;
};

/// "a mapping", "a list", "a value", "nothing": for messages.
std::string_view nameOf(YamlTree::Kind kind);

/// Parses one document. Throws BadInput with file, line and column for text that is not YAML, a key given
/// twice, a key that is not plain text, more than one document, nesting deeper than any op needs, and text
/// of more than a megabyte (expanded aliases count).
YamlTree parseYaml(const std::string& text, const std::string& file);

}  // namespace opscope
