// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace opscope {

enum class WorkloadChoice : std::uint8_t {
  Large,  ///< all but the tiny ones
  Tiny,
  All,
};
std::optional<WorkloadChoice> workloadChoiceFromName(const std::string& name);
/// On the host device the large shapes take minutes each, on a GPU the tiny ones say nothing of an op.
WorkloadChoice workloadChoiceFor(const std::string& deviceKind);

/// One part of a suite: the `index`-th of `count`, counted from 1.
struct Shard {
  std::uint32_t index = 1;
  std::uint32_t count = 1;
};
/// "2/8"; absent for anything else.
std::optional<Shard> shardFromText(const std::string& text);

/// An op of a suite, or of a list of jobs, with what of it is wanted.
struct SuiteEntry {
  Job job;                             ///< everything but workload and dtype
  std::vector<std::string> workloads;  ///< empty: by choice; "": the job's own dimensions
  std::vector<std::string> dtypes;     ///< empty: the workload's
};

/// One row of work: an op, a workload and a dtype, all said outright.
struct PlannedJob {
  Job job;
  std::string family;
  std::map<std::string, std::int64_t> dims;  ///< as they will be measured
  /// Those that were asked for, or all that the kind of device has; the engine may leave some out.
  std::vector<std::string> implementations;
};

struct PlanRequest {
  std::vector<std::string> filters;         ///< what any of them matches; empty: everything
  std::optional<WorkloadChoice> workloads;  ///< unset: by the kind of the device
  Shard shard;
};

struct Plan {
  std::vector<PlannedJob> jobs;
  std::vector<std::string> leftOut;  ///< what, and why, as phrases: "84 tiny workloads (--workloads all)"
};

/// One entry for each op that is not made to fail.
std::vector<SuiteEntry> entriesOf(const CatalogueInfo& catalogue, const Job& base);

/// The rows of these entries, in their order. Shards of the same request are disjoint and together
/// everything: rows go to them in turn, those of one op, workload and dtype to the same one. Throws BadInput
/// when nothing is left but for the shard, and what an entry does not find.
Plan planSuite(const CatalogueInfo& catalogue, const std::string& deviceKind,
               const std::vector<SuiteEntry>& entries, const PlanRequest& request);

}  // namespace opscope
