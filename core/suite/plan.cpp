// SPDX-License-Identifier: Apache-2.0
#include "suite/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/op_families.h"
#include "suite/lookup.h"
#include "suite/pattern.h"

namespace opscope {
namespace {

class Planner {
 public:
  Planner(const CatalogueInfo& catalogue, const std::string& kind, const PlanRequest& request)
      : catalogue_(catalogue),
        kind_(kind),
        request_(request),
        choice_(request.workloads.value_or(workloadChoiceFor(kind))) {}

  void add(const SuiteEntry& entry) {
    const CatalogueInfo::Op& op = opNamed(catalogue_, entry.job.op);
    std::vector<std::string> implementations = entry.job.implementations;
    if (implementations.empty()) implementations = implementationsFor(op, kind_);
    if (implementations.empty()) {
      if (matchesAny({op.name, op.family, "", ""})) elsewhere_.push_back(op.name);
      return;
    }
    if (!entry.workloads.empty()) {
      for (const std::string& label : entry.workloads)
        addWorkload(entry, op, implementations, label.empty() ? nullptr : &workloadNamed(op, label), true);
      return;
    }
    for (const CatalogueInfo::Workload& workload : op.workloads)
      addWorkload(entry, op, implementations, &workload, false);
  }

  Plan plan() {
    Plan plan;
    sayWhatIsLeftOut(plan);
    if (all_.empty())
      throw BadInput(request_.filters.empty() ? std::string("Nothing is left to measure")
                                              : fmt::format("Nothing that {} matches is left to measure",
                                                            fmt::join(request_.filters, ", ")),
                     plan.leftOut.empty() ? "`opscope list` says what there is."
                                          : fmt::format("Left out: {}.", fmt::join(plan.leftOut, "; ")));
    for (PlannedJob& job : all_)
      if (shardOf(job) == request_.shard.index) plan.jobs.push_back(std::move(job));
    const std::size_t others = all_.size() - plan.jobs.size();
    if (others > 0) plan.leftOut.push_back(fmt::format("{} of other shards", others));
    return plan;
  }

 private:
  bool matchesAny(const RowName& row) const {
    return request_.filters.empty() ||
           std::any_of(request_.filters.begin(), request_.filters.end(),
                       [&](const std::string& pattern) { return matches(pattern, row); });
  }

  // Tiny ones are also taken where a filter that says so names them.
  bool isChosen(const RowName& row) const {
    if (choice_ == WorkloadChoice::All) return true;
    if (isTiny(row.workload) == (choice_ == WorkloadChoice::Tiny)) return true;
    return isTiny(row.workload) &&
           std::any_of(request_.filters.begin(), request_.filters.end(), [&](const std::string& pattern) {
             return pattern.find("tiny") != std::string::npos && matches(pattern, row);
           });
  }

  // `workload`: null for a job that gives every dimension itself.
  void addWorkload(const SuiteEntry& entry, const CatalogueInfo::Op& op,
                   const std::vector<std::string>& implementations, const CatalogueInfo::Workload* workload,
                   bool named) {
    std::vector<std::string> dtypes = entry.dtypes;
    if (dtypes.empty() && workload != nullptr) dtypes = workload->dtypes;
    if (dtypes.empty() && !op.dtypes.empty())
      dtypes = workload == nullptr ? std::vector{op.dtypes.front()} : op.dtypes;
    for (const std::string& dtype : dtypes) {
      const RowName row{op.name, op.family, workload == nullptr ? "custom" : workload->label, dtype};
      if (!matchesAny(row)) continue;
      if (!named && !isChosen(row)) {
        ++(isTiny(row.workload) ? tiny_ : large_);
        continue;
      }
      PlannedJob planned{entry.job, op.family, {}, implementations};
      if (workload != nullptr) {
        planned.job.workload = workload->label;
        planned.dims = workload->dims;
      }
      for (const auto& [name, size] : entry.job.dims) planned.dims[name] = size;
      planned.job.dtype = dtype;
      all_.push_back(std::move(planned));
    }
  }

  void sayWhatIsLeftOut(Plan& plan) const {
    if (tiny_ > 0)
      plan.leftOut.push_back(
          fmt::format("{} of tiny workloads, which are there to verify (--workloads all)", tiny_));
    if (large_ > 0)
      plan.leftOut.push_back(
          fmt::format("{} of large workloads{} (--workloads all)", large_,
                      request_.workloads ? "" : ", which take a host device minutes each"));
    if (!elsewhere_.empty())
      plan.leftOut.push_back(
          fmt::format("ops without an implementation for {}: {}", kind_, fmt::join(elsewhere_, ", ")));
  }

  // In turn by workload, and one further for each dtype of it: with as many shards as dtypes, one shard would
  // otherwise have all of the widest.
  std::uint32_t shardOf(const PlannedJob& planned) {
    const std::size_t workload = placeIn(workloads_, planned.job.op + "/" + planned.job.workload);
    dtypes_.resize(workloads_.size());
    return static_cast<std::uint32_t>((workload + placeIn(dtypes_[workload], planned.job.dtype)) %
                                      request_.shard.count) +
           1;
  }

  static std::size_t placeIn(std::vector<std::string>& seen, const std::string& name) {
    const auto found = std::find(seen.begin(), seen.end(), name);
    const auto place = static_cast<std::size_t>(found - seen.begin());
    if (found == seen.end()) seen.push_back(name);
    return place;
  }

  const CatalogueInfo& catalogue_;
  const std::string kind_;
  const PlanRequest& request_;
  const WorkloadChoice choice_;
  std::vector<PlannedJob> all_;
  std::vector<std::string> workloads_;            // in the order they were met, for the shards
  std::vector<std::vector<std::string>> dtypes_;  // of each of them
  std::vector<std::string> elsewhere_;
  std::size_t tiny_ = 0;
  std::size_t large_ = 0;
};

}  // namespace

std::optional<WorkloadChoice> workloadChoiceFromName(const std::string& name) {
  if (name == "large") return WorkloadChoice::Large;
  if (name == "tiny") return WorkloadChoice::Tiny;
  if (name == "all") return WorkloadChoice::All;
  return std::nullopt;
}

WorkloadChoice workloadChoiceFor(const std::string& deviceKind) {
  return deviceKind == "host" ? WorkloadChoice::Tiny : WorkloadChoice::Large;
}

std::optional<Shard> shardFromText(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, shard.count);
  if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
  if (shard.index < 1 || shard.index > shard.count) return std::nullopt;
  return shard;
}

std::vector<SuiteEntry> entriesOf(const CatalogueInfo& catalogue, const Job& base) {
  std::vector<SuiteEntry> entries;
  for (const CatalogueInfo::Op& op : catalogue.ops) {
    if (isMadeToFail(op.family)) continue;
    entries.push_back({base, {}, {}});
    entries.back().job.op = op.name;
  }
  return entries;
}

Plan planSuite(const CatalogueInfo& catalogue, const std::string& deviceKind,
               const std::vector<SuiteEntry>& entries, const PlanRequest& request) {
  Planner planner(catalogue, deviceKind, request);
  for (const SuiteEntry& entry : entries) planner.add(entry);
  return planner.plan();
}

}  // namespace opscope
