// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "ops/catalogue.h"
#include "ops/expression.h"
#include "ops/near_names.h"
#include "ops/prepared.h"
#include "ops/reference.h"
#include "ops/spec_body.h"
#include "ops/spec_fields.h"
#include "ops/yaml_tree.h"

namespace opscope {
namespace {

class OpReader {
 public:
  OpReader(const std::string& name, const Place& place, const std::filesystem::path& file) {
    checkLabel(name, place);
    op_.name = name;
    op_.place = place;
    op_.file = file;
  }

  OpSpec read(const YamlTree& tree) {
    const Fields fields(
        tree, fmt::format("the op {}", op_.name),
        {"family", "doc", "signature", "dtypes", "workloads", "roofline", "reference", "implementations"});
    if (const YamlTree* family = fields.optional("family")) {
      op_.family = readText(*family, "the name of a family");
      checkLabel(op_.family, family->place);
    }
    if (const YamlTree* doc = fields.optional("doc")) op_.doc = readText(*doc, "a sentence or two");
    readSignature(fields.required("signature"));
    op_.dtypes = readDTypes(fields.required("dtypes"), {});
    readWorkloads(fields.required("workloads"));
    const Fields roofline(fields.required("roofline"), "the roofline", {"flops", "bytes"});
    op_.flops = readExpression(roofline.required("flops"), &names_);
    op_.bytes = readExpression(roofline.required("bytes"), &names_);
    if (const YamlTree* reference = fields.optional("reference")) readReference(*reference);
    readImplementations(fields.required("implementations"));
    checkWorkloads();
    return std::move(op_);
  }

 private:
  void readSignature(const YamlTree& tree) {
    const Fields fields(tree, fmt::format("the signature of {}", op_.name), {"inputs", "outputs", "params"});
    if (const YamlTree* params = fields.optional("params")) readParams(*params);
    readTensors(fields.required("inputs"), false);
    readTensors(fields.required("outputs"), true);
    // The dimensions are the names that shapes, or the lots of a partition, use and that nothing else
    // defines.
    std::set<std::string> dims;
    const auto collect = [&](const TensorSpec& tensor, const Expression& from, const char* what) {
      for (const std::string& name : namesIn(from)) {
        if (std::any_of(op_.tensors.begin(), op_.tensors.end(),
                        [&](const TensorSpec& other) { return other.name == name; }))
          throw BadInput(fmt::format("The {} of {} uses \"{}\", which is a tensor", what, tensor.name, name),
                         "A name is either a tensor or a dimension.", from.place);
        if (name == "elem_bytes" || hasParam(name)) continue;
        checkIdentifier(name, from.place);
        dims.insert(name);
      }
    };
    for (const TensorSpec& tensor : op_.tensors) {
      for (const Expression& size : tensor.shape) collect(tensor, size, "shape");
      if (tensor.distribution.draws) collect(tensor, *tensor.distribution.draws, "distribution");
    }
    op_.dims.assign(dims.begin(), dims.end());
    names_ = dims;
    for (const ParamSpec& param : op_.params) names_.insert(param.name);
    names_.insert("elem_bytes");
    for (const TensorSpec& tensor : op_.tensors)
      if (tensor.distribution.high) checkBound(tensor);
  }

  void checkBound(const TensorSpec& tensor) const {
    const Expression& high = *tensor.distribution.high;
    for (const std::string& name : namesIn(high))
      if (!names_.contains(name))
        throw BadInput(fmt::format("The bound of {} uses the unknown name \"{}\"", tensor.name, name),
                       nameRemedy(name, {names_.begin(), names_.end()}, "names"), high.place);
  }

  void readParams(const YamlTree& tree) {
    if (tree.kind == YamlTree::Kind::Null) return;
    expectKind(tree, YamlTree::Kind::Map, "parameters by name, as in {eps: {default: 1e-6}}");
    for (std::size_t i = 0; i < tree.items.size(); ++i) {
      const auto& [name, place] = tree.keys[i];
      checkIdentifier(name, place);
      const Fields fields(tree.items[i], fmt::format("the parameter {}", name), {"default"});
      const YamlTree& value = fields.required("default");
      ParamSpec param{name, readNumber(value), true, place};
      param.floating = value.text.find_first_of(".eE") != std::string::npos;
      if (!param.floating) readInteger(value, -(std::int64_t{1} << 53), std::int64_t{1} << 53);
      op_.params.push_back(std::move(param));
    }
  }

  void readTensors(const YamlTree& tree, bool output) {
    expectKind(tree, YamlTree::Kind::Map, "tensors by name, as in {x: {shape: [M, N]}}");
    if (tree.items.empty())
      throw BadInput(output ? "No outputs" : "No inputs", "Name at least one tensor.", tree.place);
    for (std::size_t i = 0; i < tree.items.size(); ++i) {
      const auto& [name, place] = tree.keys[i];
      const bool taken = hasParam(name) || std::any_of(op_.tensors.begin(), op_.tensors.end(),
                                                       [&](const TensorSpec& t) { return t.name == name; });
      if (taken) throw BadInput(fmt::format("The name \"{}\" is taken", name), "Choose another one.", place);
      op_.tensors.push_back(readTensor(name, place, tree.items[i], !output, output, nullptr));
    }
  }

  void readWorkloads(const YamlTree& tree) {
    expectKind(tree, YamlTree::Kind::Sequence, "a list of workloads, as in [{label: small, M: 64, N: 128}]");
    if (tree.items.empty()) throw BadInput("No workloads", "Give at least one.", tree.place);
    std::vector<std::string> allowed{"label", "dtypes"};
    allowed.insert(allowed.end(), op_.dims.begin(), op_.dims.end());
    for (const YamlTree& item : tree.items) {
      const Fields fields(item, fmt::format("a workload of {}", op_.name), allowed);
      WorkloadSpec workload;
      workload.place = item.place;
      const YamlTree& label = fields.required("label");
      workload.label = readText(label, "a label");
      checkLabel(workload.label, label.place);
      if (workload.label == "custom")
        throw BadInput("The label \"custom\" is kept for shapes given by hand", "Choose another one.",
                       label.place);
      for (const WorkloadSpec& other : op_.workloads)
        if (other.label == workload.label)
          throw BadInput(fmt::format("The label \"{}\" is given twice", workload.label), {}, label.place);
      for (const std::string& dim : op_.dims) workload.dims[dim] = readDim(fields.required(dim));
      const YamlTree* dtypes = fields.optional("dtypes");
      workload.dtypes = dtypes != nullptr ? readDTypes(*dtypes, op_.dtypes) : op_.dtypes;
      op_.workloads.push_back(std::move(workload));
    }
  }

  // A switch such as trans_a is a dimension that is 0 or 1, and reads better as false or true.
  static std::int64_t readDim(const YamlTree& tree) {
    const bool isSwitch =
        tree.kind == YamlTree::Kind::Scalar &&
        (tree.text == "true" || tree.text == "True" || tree.text == "false" || tree.text == "False");
    return isSwitch ? (readBool(tree) ? 1 : 0) : readInteger(tree, 0, kLargestDim);
  }

  void readReference(const YamlTree& tree) {
    op_.reference = readText(tree, "the name of a reference");
    if (op_.reference.empty() || hasReference(op_.reference)) return;
    throw BadInput(fmt::format("There is no reference \"{}\"", op_.reference),
                   nameRemedy(op_.reference, referenceNames(), "references") +
                       " Without a reference the op is measured unverified.",
                   tree.place);
  }

  void readImplementations(const YamlTree& tree) {
    expectKind(tree, YamlTree::Kind::Map, "implementations by name");
    if (tree.items.empty()) throw BadInput("No implementations", "Give at least one.", tree.place);
    for (std::size_t i = 0; i < tree.items.size(); ++i)
      op_.implementations.push_back(
          readImplementation(tree.keys[i].first, tree.keys[i].second, tree.items[i], op_, names_));
  }

  // A workload whose shapes cannot be evaluated shall be found by the reader, not by the first who runs it.
  void checkWorkloads() const {
    for (const WorkloadSpec& workload : op_.workloads)
      for (const DType dtype : workload.dtypes) {
        const Problem problem = makeProblem(op_, workload.label, dtype, {}, 0);
        for (const TensorSpec& tensor : op_.tensors) distributionOf(problem, tensor);
      }
  }

  bool hasParam(const std::string& name) const {
    return std::any_of(op_.params.begin(), op_.params.end(),
                       [&](const ParamSpec& p) { return p.name == name; });
  }

  OpSpec op_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<OpSpec> parseOps(const std::string& text, const std::filesystem::path& file) {
  const YamlTree tree = parseYaml(text, file.string());
  expectKind(tree, YamlTree::Kind::Map, "ops by name, as in \"rms_norm: {signature: ...}\"");
  std::vector<OpSpec> ops;
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const auto& [name, place] = tree.keys[i];
    ops.push_back(OpReader(name, place, file).read(tree.items[i]));
  }
  return ops;
}

std::vector<OpSpec> readOps(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || !std::filesystem::is_regular_file(file, error))
    throw CannotRead(fmt::format("{}: not a file that can be read", file.string()), {},
                     {file.string(), 0, 0});
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  // A limit before reading: the parser refuses long texts, but only once they are in memory.
  constexpr std::uintmax_t kLargestFile = 8 << 20;
  if (size <= kLargestFile) text.resize(size);
  if (!stream || size > kLargestFile || !stream.read(text.data(), static_cast<std::streamsize>(size)))
    throw CannotRead(size > kLargestFile
                         ? fmt::format("{}: {} bytes are too many for a spec", file.string(), size)
                         : fmt::format("{}: {}", file.string(), std::strerror(errno)),
                     {}, {file.string(), 0, 0});
  return parseOps(text, file);
}

}  // namespace opscope
