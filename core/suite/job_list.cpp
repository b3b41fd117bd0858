// SPDX-License-Identifier: Apache-2.0
#include "suite/job_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "ops/near_names.h"
#include "ops/spec_fields.h"

namespace opscope {
namespace {

const std::vector<std::string> kKeys{
    "op",         "workload",  "workloads", "dtype",      "dtypes",  "implementations",
    "dims",       "baseline",  "l2",        "iterations", "blocks",  "warmup-ms",
    "measure-ms", "settle-ms", "buffer-kb", "seed",       "control", "counters"};

// A value alone, or a list of them; none twice.
std::vector<const YamlTree*> oneOrMore(const YamlTree& tree, const std::string& expected) {
  std::vector<const YamlTree*> items;
  if (tree.kind == YamlTree::Kind::Sequence)
    for (const YamlTree& item : tree.items) items.push_back(&item);
  else
    items.push_back(&tree);
  if (items.empty()) throw BadInput("An empty list", fmt::format("Expected {}.", expected), tree.place);
  for (auto item = items.begin(); item != items.end(); ++item)
    if (std::any_of(items.begin(), item, [&](const YamlTree* other) {
          return readText(*other, expected) == readText(**item, expected);
        }))
      throw BadInput(fmt::format("\"{}\" is given twice", (*item)->text), {}, (*item)->place);
  return items;
}

// A name that must be one of those known.
std::string readName(const YamlTree& tree, const std::vector<std::string>& known, const std::string& of,
                     std::string_view what) {
  std::string name = readText(tree, fmt::format("one of the {} of {}", what, of));
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UnknownName(fmt::format("{} has nothing named '{}' among its {}", of, name, what),
                      nameRemedy(name, known, what), tree.place);
  return name;
}

Ns readMilliseconds(const YamlTree& tree) {
  const double value = readNumber(tree);
  constexpr double kHour = 3.6e6;
  if (value < 0 || value > kHour)
    throw BadInput(fmt::format("\"{}\" is not a time", tree.text), "Expected 0 to 3600000 (ms).", tree.place);
  return static_cast<Ns>(value * static_cast<double>(kMillisecond));
}

void readProtocol(const Fields& fields, Job& job) {
  Protocol& protocol = job.protocol;
  if (const YamlTree* l2 = fields.optional("l2")) {
    const auto mode = l2ModeFromName(readText(*l2, "clean, zero, warm or rotate"));
    if (!mode)
      throw BadInput(fmt::format("Unknown L2 mode \"{}\"", l2->text), "Expected clean, zero, warm or rotate.",
                     l2->place);
    protocol.l2 = *mode;
  }
  if (const YamlTree* count = fields.optional("iterations"))
    protocol.iterations = static_cast<std::uint32_t>(readInteger(*count, 1, 10'000'000));
  if (const YamlTree* blocks = fields.optional("blocks"))
    protocol.blocks = static_cast<std::uint32_t>(readInteger(*blocks, 1, 10'000));
  if (const YamlTree* budget = fields.optional("warmup-ms"))
    protocol.warmupBudget = readMilliseconds(*budget);
  if (const YamlTree* budget = fields.optional("measure-ms"))
    protocol.measureBudget = readMilliseconds(*budget);
  if (const YamlTree* limit = fields.optional("settle-ms")) protocol.settleLimit = readMilliseconds(*limit);
  if (const YamlTree* size = fields.optional("buffer-kb"))
    protocol.bufferBytes = readInteger(*size, 1, 1 << 20) * 1024;
}

void readExperiments(const Fields& fields, Job& job) {
  if (const YamlTree* seed = fields.optional("seed"))
    job.seed = static_cast<std::uint64_t>(readInteger(*seed, 0, std::numeric_limits<std::int64_t>::max()));
  if (const YamlTree* counters = fields.optional("counters")) job.counters = readBool(*counters);
  if (const YamlTree* control = fields.optional("control"))
    for (const YamlTree* item : oneOrMore(*control, "prequeued or tracing")) {
      if (item->text == "prequeued")
        job.controls.prequeued = true;
      else if (item->text == "tracing")
        job.controls.tracing = true;
      else
        throw BadInput(fmt::format("Unknown control \"{}\"", item->text), "Expected prequeued or tracing.",
                       item->place);
    }
}

void readDims(const YamlTree& tree, const CatalogueInfo::Op& op, Job& job) {
  expectKind(tree, YamlTree::Kind::Map, "dimensions as in {M: 512}");
  std::vector<std::string> known;
  if (!op.workloads.empty())
    for (const auto& [name, size] : op.workloads.front().dims) known.push_back(name);
  for (std::size_t i = 0; i < tree.items.size(); ++i) {
    const auto& [name, place] = tree.keys[i];
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UnknownName(fmt::format("{} has no dimension \"{}\"", op.name, name),
                        nameRemedy(name, known, "dimensions"), place);
    job.dims[name] = readInteger(tree.items[i], 0, kLargestDim);
  }
}

const YamlTree* oneOf(const Fields& fields, std::string_view single, std::string_view several) {
  const YamlTree* one = fields.optional(single);
  const YamlTree* more = fields.optional(several);
  if (one != nullptr && more != nullptr)
    throw BadInput(fmt::format("Both \"{}\" and \"{}\" are given", single, several),
                   "They mean the same: keep one.", more->place);
  return one != nullptr ? one : more;
}

SuiteEntry readEntry(const YamlTree& tree, const Job& base, const CatalogueInfo& catalogue) {
  const Fields fields(tree, "a job", kKeys);
  std::vector<std::string> ops;
  for (const CatalogueInfo::Op& op : catalogue.ops) ops.push_back(op.name);
  SuiteEntry entry{base, {}, {}};
  entry.job.op = readName(fields.required("op"), ops, "The catalogue", "ops");
  const CatalogueInfo::Op& op =
      *std::find_if(catalogue.ops.begin(), catalogue.ops.end(),
                    [&](const CatalogueInfo::Op& known) { return known.name == entry.job.op; });
  if (const YamlTree* dims = fields.optional("dims")) readDims(*dims, op, entry.job);
  if (const YamlTree* list = oneOf(fields, "workload", "workloads")) {
    std::vector<std::string> known;
    for (const CatalogueInfo::Workload& workload : op.workloads) known.push_back(workload.label);
    for (const YamlTree* item : oneOrMore(*list, "labels of workloads"))
      entry.workloads.push_back(readName(*item, known, op.name, "workloads"));
  } else if (!entry.job.dims.empty()) {
    entry.workloads.emplace_back();
  }
  if (const YamlTree* list = oneOf(fields, "dtype", "dtypes"))
    for (const YamlTree* item : oneOrMore(*list, "dtypes")) {
      const DType dtype = readDType(*item);
      if (std::find(op.dtypes.begin(), op.dtypes.end(), nameOf(dtype)) == op.dtypes.end())
        throw BadInput(fmt::format("{} is not measured in {}", op.name, nameOf(dtype)),
                       nameRemedy(nameOf(dtype), op.dtypes, "dtypes"), item->place);
      entry.dtypes.emplace_back(nameOf(dtype));
    }
  std::vector<std::string> known;
  for (const CatalogueInfo::Implementation& implementation : op.implementations)
    known.push_back(implementation.name);
  if (const YamlTree* list = fields.optional("implementations"))
    for (const YamlTree* item : oneOrMore(*list, "names of implementations"))
      entry.job.implementations.push_back(readName(*item, known, op.name, "implementations"));
  if (const YamlTree* baseline = fields.optional("baseline"))
    entry.job.baseline = readName(*baseline, known, op.name, "implementations");
  readProtocol(fields, entry.job);
  readExperiments(fields, entry.job);
  return entry;
}

}  // namespace

std::vector<SuiteEntry> parseJobList(const std::string& text, const std::string& file, const Job& base,
                                     const CatalogueInfo& catalogue) {
  const YamlTree tree = parseYaml(text, file);
  const Fields fields(tree, "a list of jobs", {"jobs"});
  const YamlTree& jobs = fields.required("jobs");
  expectKind(jobs, YamlTree::Kind::Sequence, "a list of jobs, each as in {op: rms_norm}");
  if (jobs.items.empty()) throw BadInput("The list of jobs is empty", "Name at least one op.", jobs.place);
  std::vector<SuiteEntry> entries;
  for (const YamlTree& job : jobs.items) entries.push_back(readEntry(job, base, catalogue));
  return entries;
}

std::vector<SuiteEntry> readJobList(const std::filesystem::path& file, const Job& base,
                                    const CatalogueInfo& catalogue) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw CannotRead(
        fmt::format("The list of jobs {} cannot be read: {}", file.string(), std::strerror(errno)),
        "Check its name and permissions.");
  return parseJobList(text, file.string(), base, catalogue);
}

}  // namespace opscope
