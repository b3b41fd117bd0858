// SPDX-License-Identifier: Apache-2.0
#include "ops/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

namespace opscope {
namespace {

constexpr std::size_t kLongestText = 1 << 20;
constexpr int kDeepest = 24;
constexpr std::size_t kMostNodes = 100'000;

Place placeOf(const std::string& file, const YAML::Mark& mark) {
  if (mark.is_null()) return {file, 0, 0};
  return {file, mark.line + 1, mark.column + 1};
}

class Converter {
 public:
  explicit Converter(std::string file) : file_(std::move(file)) {}

  YamlTree convert(const YAML::Node& node, int depth) {
    YamlTree tree;
    tree.place = placeOf(file_, node.Mark());
    // Both limits also end the aliases that contain themselves or multiply.
    if (depth > kDeepest)
      throw BadInput(fmt::format("Nested more than {} levels deep", kDeepest),
                     "No op needs that; look for an alias that contains itself.", tree.place);
    if (++nodes_ > kMostNodes)
      throw BadInput(fmt::format("More than {} values", kMostNodes),
                     "Split the file; aliases count as often as they are used.", tree.place);
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        tree.kind = YamlTree::Kind::Scalar;
        tree.text = node.Scalar();
        break;
      case YAML::NodeType::Sequence:
        tree.kind = YamlTree::Kind::Sequence;
        for (const auto& item : node) tree.items.push_back(convert(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        tree.kind = YamlTree::Kind::Map;
        convertEntries(node, depth, tree);
        break;
    }
    return tree;
  }

 private:
  void convertEntries(const YAML::Node& node, int depth, YamlTree& tree) {
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const Place place = placeOf(file_, entry.first.Mark());
      if (!entry.first.IsScalar())
        throw BadInput("A key that is not plain text", "Expected \"name: value\".", place);
      const std::string key = entry.first.Scalar();
      if (!seen.insert(key).second)
        throw BadInput(fmt::format("The key \"{}\" is given twice", key), "Remove one of the two.", place);
      tree.keys.emplace_back(key, place);
      tree.items.push_back(convert(entry.second, depth + 1));
      // An empty value has no place of its own: the library gives it that of what follows.
      if (tree.items.back().kind == YamlTree::Kind::Null) tree.items.back().place = place;
    }
  }

  std::string file_;
  std::size_t nodes_ = 0;
};

}  // namespace

const YamlTree* YamlTree::find(std::string_view key) const {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.first == key; });
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

std::string_view nameOf(YamlTree::Kind kind) {
  switch (kind) {
    case YamlTree::Kind::Null:
      return "nothing";
    case YamlTree::Kind::Scalar:
      return "a value";
    case YamlTree::Kind::Sequence:
      return "a list";
    case YamlTree::Kind::Map:
      return "a mapping";
  }
  return "nothing";
}

YamlTree parseYaml(const std::string& text, const std::string& file) {
  if (text.size() > kLongestText)
    throw BadInput(fmt::format("{} bytes of text where at most {} are read", text.size(), kLongestText),
                   "Split the file.", {file, 0, 0});
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(text);
  } catch (const YAML::Exception& error) {
    // The library limits its own recursion and then speaks of a "bad file".
    const std::string reason = error.msg == "bad file" ? "nested far too deeply" : error.msg;
    throw BadInput(fmt::format("Not valid YAML: {}", reason), {}, placeOf(file, error.mark));
  } catch (const std::exception& error) {
    throw BadInput(fmt::format("Not valid YAML: {}", error.what()), {}, {file, 0, 0});
  }
  if (documents.size() > 1)
    throw BadInput("More than one YAML document in the file", "Put all ops into one, without \"---\".",
                   placeOf(file, documents[1].Mark()));
  if (documents.empty()) return {YamlTree::Kind::Null, {}, {}, {}, {file, 1, 1}};
  try {
    return Converter(file).convert(documents[0], 0);
  } catch (const YAML::Exception& error) {
    throw BadInput(fmt::format("Not valid YAML: {}", error.msg), {}, placeOf(file, error.mark));
  }
}

}  // namespace opscope
