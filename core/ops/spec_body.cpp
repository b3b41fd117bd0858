// SPDX-License-Identifier: Apache-2.0
#include "ops/spec_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/provider.h"
#include "ops/near_names.h"
#include "ops/spec_fields.h"

namespace opscope {
namespace {

// Beside the spec, in the kernels folder next to the spec's, or with the built-in kernels.
std::filesystem::path findSource(const std::string& name, const std::filesystem::path& spec,
                                 const Place& place) {
  namespace fs = std::filesystem;
  if (name.empty() || name.find('\\') != std::string::npos)
    throw BadInput(fmt::format("\"{}\" is not a file name", name), {}, place);
  std::error_code ignored;
  const fs::path folder = spec.parent_path();
  for (const fs::path& candidate : {folder / name, folder / ".." / "kernels" / name})
    if (fs::is_regular_file(candidate, ignored)) return candidate.lexically_normal();
  try {
    const fs::path builtIn = resourceFolder() / "kernels" / name;
    if (fs::is_regular_file(builtIn, ignored)) return builtIn.lexically_normal();
  } catch (const CannotRead&) {
    // Without the built-in resources the kernel is not there either: said below.
  }
  throw BadInput(fmt::format("There is no kernel file \"{}\"", name),
                 "Put it beside the spec, or into a folder \"kernels\" next to the spec's folder.", place);
}

class BodyReader {
 public:
  BodyReader(const OpSpec& op, std::string implementation, const std::string& deviceKind,
             const std::set<std::string>& names)
      : op_(op),
        implementation_(std::move(implementation)),
        what_(fmt::format("{}/{} ({})", op.name, implementation_, deviceKind)),
        names_(names) {}

  BodySpec read(const std::string& deviceKind, const Place& place, const YamlTree& tree) {
    body_.place = place;
    std::vector<std::string> allowed{"dtypes", "requires", "scratch"};
    const bool host = deviceKind == "host";
    if (tree.kind == YamlTree::Kind::Map && tree.find("plugin") != nullptr)
      allowed.insert(allowed.end(), {"plugin", "function"});
    else if (host)
      allowed.insert(allowed.end(), {"function", "plugin"});
    else
      allowed.insert(allowed.end(), {"library", "source", "options", "kernels", "graph", "plugin"});
    const Fields fields(tree, what_, allowed);
    if (const YamlTree* dtypes = fields.optional("dtypes")) body_.dtypes = readDTypes(*dtypes, op_.dtypes);
    if (const YamlTree* condition = fields.optional("requires"))
      body_.requires_ = readExpression(*condition, &names_);
    if (const YamlTree* scratch = fields.optional("scratch")) readScratch(*scratch);
    if (const YamlTree* plugin = fields.optional("plugin")) {
      readPlugin(*plugin, fields.optional("function"));
    } else if (host) {
      body_.kind = BodySpec::Kind::Host;
      body_.function = readFunction(fields.required("function"), "the name of a registered host function");
    } else if (const YamlTree* library = fields.optional("library")) {
      for (const char* key : {"source", "options", "kernels", "graph"})
        if (const YamlTree* other = fields.optional(key))
          throw BadInput(fmt::format("\"{}\" beside \"library\" in {}", key, what_),
                         "An implementation is either a library call or kernels.", other->place);
      body_.kind = BodySpec::Kind::Library;
      body_.function = readFunction(*library, "the name of a library function, as in cublaslt.gemm");
    } else {
      readKernels(fields);
    }
    return body_;
  }

 private:
  static std::string readFunction(const YamlTree& tree, const std::string& expected) {
    std::string name = readText(tree, expected);
    if (name.empty())
      throw BadInput("An empty function name", fmt::format("Expected {}.", expected), tree.place);
    return name;
  }

  void readScratch(const YamlTree& tree) {
    expectKind(tree, YamlTree::Kind::Map, "tensors by name, as in {sums: {shape: [M], dtype: float32}}");
    for (std::size_t i = 0; i < tree.items.size(); ++i) {
      const auto& [name, place] = tree.keys[i];
      if (isTensor(name) || names_.contains(name))
        throw BadInput(fmt::format("The name \"{}\" is taken", name), "Choose another one.", place);
      body_.scratch.push_back(readTensor(name, place, tree.items[i], false, false, &names_));
    }
  }

  // A plugin is a library with a file. "this" is the one whose description is being read; another name lies
  // beside the spec.
  void readPlugin(const YamlTree& plugin, const YamlTree* function) {
    body_.kind = BodySpec::Kind::Library;
    body_.function =
        function != nullptr ? readFunction(*function, "what the plugin calls it") : implementation_;
    const std::string name = readText(plugin, "the file name of a shared library, or \"this\"");
    const bool described = op_.file.extension() == ".so";
    if (name == "this") {
      if (!described)
        throw BadInput("\"this\" is a plugin that describes itself, and this is a spec file",
                       "Name the library: plugin: libmine.so.", plugin.place);
      body_.source = op_.file;
      return;
    }
    std::error_code ignored;
    body_.source = op_.file.parent_path() / name;
    if (name.empty() || !std::filesystem::is_regular_file(body_.source, ignored))
      throw BadInput(fmt::format("There is no plugin \"{}\"", body_.source.string()),
                     "Put the library beside the spec.", plugin.place);
  }

  void readKernels(const Fields& fields) {
    body_.kind = BodySpec::Kind::Kernels;
    const YamlTree& source = fields.required("source");
    body_.source = findSource(readText(source, "the name of a .cu file"), op_.file, source.place);
    if (const YamlTree* options = fields.optional("options")) {
      expectKind(*options, YamlTree::Kind::Sequence, "a list of compiler options");
      for (const YamlTree& option : options->items)
        body_.options.push_back(readText(option, "a compiler option, as in -DTILE=32"));
    }
    if (const YamlTree* graph = fields.optional("graph")) body_.graph = readBool(*graph);
    const YamlTree& steps = fields.required("kernels");
    expectKind(steps, YamlTree::Kind::Sequence, "a list of steps (kernel, copy or fill)");
    for (const YamlTree& step : steps.items) body_.steps.push_back(readStep(step));
  }

  StepSpec readStep(const YamlTree& tree) {
    expectKind(tree, YamlTree::Kind::Map, "a step as in {kernel: name, grid: M, block: 256, args: [x, y]}");
    StepSpec step;
    step.place = tree.place;
    std::vector<std::string> allowed{"stream", "host_sleep_us", "other_thread", "synchronise", "when"};
    const bool copy = tree.find("copy") != nullptr, fill = tree.find("fill") != nullptr;
    if (copy)
      allowed.emplace_back("copy");
    else if (fill)
      allowed.emplace_back("fill");
    else
      allowed.insert(allowed.begin(), {"kernel", "grid", "block", "cluster", "shared", "args", "overlap"});
    const Fields fields(tree, fmt::format("a step of {}", what_), allowed);
    if (copy) {
      step.kind = "copy";
      const YamlTree& pair = fields.required("copy");
      step.args = readArgs(pair, "[destination, source]", true);
      if (step.args.size() != 2)
        throw BadInput(fmt::format("A copy with {} tensors", step.args.size()),
                       "Expected [destination, source].", pair.place);
      refuseInput(step.args[0], pair.items[0].place);
    } else if (fill) {
      step.kind = "fill";
      const YamlTree& target = fields.required("fill");
      step.args = {readArg(target, true)};
      refuseInput(step.args[0], target.place);
    } else {
      step.kind = "kernel";
      step.kernel = readText(fields.required("kernel"), "the name of a kernel in the source");
      if (step.kernel.empty()) throw BadInput("An empty kernel name", {}, fields.required("kernel").place);
      step.grid = readExpressions(fields.required("grid"), &names_, 1, 3);
      step.block = readExpressions(fields.required("block"), &names_, 1, 3);
      if (const YamlTree* cluster = fields.optional("cluster"))
        step.cluster = readExpressions(*cluster, &names_, 1, 3);
      if (const YamlTree* overlap = fields.optional("overlap")) step.overlap = readBool(*overlap);
      if (const YamlTree* shared = fields.optional("shared"))
        step.sharedBytes = readExpression(*shared, &names_);
      step.args = readArgs(fields.required("args"), "a list of tensors, dimensions and parameters", false);
    }
    readManner(fields, step);
    return step;
  }

  // How the step is issued. A graph is issued as a whole, once captured.
  void readManner(const Fields& fields, StepSpec& step) {
    constexpr std::int64_t kMostStreams = 16;
    if (const YamlTree* stream = fields.optional("stream"))
      step.stream = static_cast<std::uint32_t>(readInteger(*stream, 0, kMostStreams - 1));
    if (const YamlTree* when = fields.optional("when")) step.when = readExpression(*when, &names_);
    if (const YamlTree* sleep = fields.optional("host_sleep_us"))
      step.hostSleepUs = readExpression(*sleep, &names_);
    if (const YamlTree* other = fields.optional("other_thread")) step.otherThread = readBool(*other);
    if (const YamlTree* wait = fields.optional("synchronise")) step.synchronise = readBool(*wait);
    if (!body_.graph) return;
    for (const char* key : {"host_sleep_us", "other_thread", "synchronise"})
      if (const YamlTree* manner = fields.optional(key))
        throw BadInput(fmt::format("\"{}\" in a graph has no effect", key),
                       "A graph is captured once and issued as a whole; leave one of the two out.",
                       manner->place);
  }

  std::vector<std::string> readArgs(const YamlTree& tree, const std::string& expected, bool tensorsOnly) {
    expectKind(tree, YamlTree::Kind::Sequence, expected);
    std::vector<std::string> args;
    for (const YamlTree& item : tree.items) args.push_back(readArg(item, tensorsOnly));
    return args;
  }

  std::string readArg(const YamlTree& tree, bool tensorOnly) {
    const std::string expected =
        tensorOnly ? "the name of a tensor" : "the name of a tensor, dimension or parameter";
    std::string name = readText(tree, expected);
    const bool scalar = names_.contains(name) && name != "elem_bytes";
    if (isTensor(name) || isScratch(name) || (scalar && !tensorOnly)) return name;
    std::vector<std::string> known;
    for (const TensorSpec& tensor : op_.tensors) known.push_back(tensor.name);
    for (const TensorSpec& tensor : body_.scratch) known.push_back(tensor.name);
    if (!tensorOnly)
      for (const std::string& other : names_)
        if (other != "elem_bytes") known.push_back(other);
    throw BadInput(fmt::format("\"{}\" is not {} of {}", name, expected, what_),
                   nameRemedy(name, known, "names"), tree.place);
  }

  void refuseInput(const std::string& name, const Place& place) const {
    for (const TensorSpec& tensor : op_.tensors)
      if (tensor.name == name && !tensor.output)
        throw BadInput(fmt::format("The step writes the input \"{}\"", name),
                       "Inputs are shared by all implementations; write an output or a scratch tensor.",
                       place);
  }

  bool isTensor(const std::string& name) const { return contains(op_.tensors, name); }
  bool isScratch(const std::string& name) const { return contains(body_.scratch, name); }
  static bool contains(const std::vector<TensorSpec>& tensors, const std::string& name) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const TensorSpec& t) { return t.name == name; });
  }

  const OpSpec& op_;
  std::string implementation_;
  std::string what_;
  const std::set<std::string>& names_;
  BodySpec body_;
};

}  // namespace

ImplementationSpec readImplementation(const std::string& name, const Place& place, const YamlTree& tree,
                                      const OpSpec& op, const std::set<std::string>& names) {
  checkLabel(name, place);
  const Fields fields(tree, fmt::format("the implementation {}", name), {"doc", "cuda", "host"});
  ImplementationSpec implementation;
  implementation.name = name;
  implementation.place = place;
  if (const YamlTree* doc = fields.optional("doc")) implementation.doc = readText(*doc, "a sentence");
  for (const char* kind : {"cuda", "host"}) {
    const YamlTree* body = fields.optional(kind);
    if (body == nullptr) continue;
    const auto key =
        std::find_if(tree.keys.begin(), tree.keys.end(), [&](const auto& k) { return k.first == kind; });
    BodyReader reader(op, name, kind, names);
    implementation.bodies.emplace(kind, reader.read(kind, key->second, *body));
  }
  if (implementation.bodies.empty())
    throw BadInput(fmt::format("The implementation {} runs nowhere", name), "Give it \"cuda\" or \"host\".",
                   place);
  return implementation;
}

}  // namespace opscope
