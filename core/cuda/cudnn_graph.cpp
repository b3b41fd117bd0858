// SPDX-License-Identifier: Apache-2.0
#include "cuda/cudnn_graph.h"

#include <algorithm>

namespace opscope::cuda::cudnn {
namespace {

constexpr std::string_view kDescribing = "describing the graph";
constexpr std::string_view kReading = "reading what it makes of the graph";

}  // namespace

Node::Node(NodeKind kind) {
  const Api& api = Api::get();
  Descriptor made = nullptr;
  api.check(api.createNode(static_cast<int>(kind), &made), kDescribing);
  descriptor_ = {made, api.destroyNode};
}

Node& Node::setBytes(Attribute name, ValueType type, std::int64_t count, const void* values) {
  const Api& api = Api::get();
  api.check(api.setAttribute(get(), static_cast<int>(name), static_cast<int>(type), count, values),
            kDescribing);
  return *this;
}

Node& Node::set(Attribute name, const Node& node) {
  const Descriptor descriptor = node.get();
  return setBytes(name, ValueType::Node, 1, &descriptor);
}

Node& Node::finish(std::string_view doing) {
  Api::get().check(tryToFinish(), doing);
  return *this;
}

Status Node::tryToFinish() {
  return Api::get().finalizeNode(get());
}

std::int64_t Node::integer(Attribute name) const {
  const Api& api = Api::get();
  std::int64_t value = 0, count = 0;
  api.check(
      api.getAttribute(get(), static_cast<int>(name), static_cast<int>(ValueType::Int64), 1, &count, &value),
      kReading);
  return value;
}

std::vector<NumericalNote> Node::notes() const {
  const Api& api = Api::get();
  std::vector<NumericalNote> found(32);  // there are ten
  std::int64_t count = 0;
  api.check(api.getAttribute(get(), static_cast<int>(Attribute::EngineNotes),
                             static_cast<int>(ValueType::NumericalNote),
                             static_cast<std::int64_t>(found.size()), &count, found.data()),
            kReading);
  found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
  return found;
}

Node Node::node(Attribute name, NodeKind kind) const {
  return nodes(name, kind, 1).front();
}

std::vector<Node> Node::nodes(Attribute name, NodeKind kind, std::int64_t most) const {
  const Api& api = Api::get();
  // It fills in nodes that are there already.
  std::vector<Node> made;
  std::vector<Descriptor> descriptors;
  for (std::int64_t i = 0; i < most; ++i) descriptors.push_back(made.emplace_back(kind).get());
  std::int64_t count = 0;
  api.check(api.getAttribute(get(), static_cast<int>(name), static_cast<int>(ValueType::Node), most, &count,
                             descriptors.data()),
            kReading);
  if (count < most) made.erase(made.begin() + count, made.end());
  return made;
}

}  // namespace opscope::cuda::cudnn
