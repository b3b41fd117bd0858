// SPDX-License-Identifier: Apache-2.0
#include "suite/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "session/imported.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

using Json = nlohmann::ordered_json;
using RunSpan = std::span<const std::shared_ptr<const Run>>;

std::string workOf(const Run& run, const std::string& implementation) {
  return fmt::format("{}|{}|{}|{}|{}", run.op, run.workload, run.dtype, dimensionsText(run), implementation);
}

// What makes two numbers of one work incomparable, as far as a name can say it.
std::string keyOf(const Run& run, const std::string& implementation) {
  const auto uuid = run.environment.find("device uuid");
  return fmt::format("{}|{}|{}|{}|{}", workOf(run, implementation), run.deviceName,
                     uuid == run.environment.end() ? run.deviceId : uuid->second, run.method, run.l2);
}

std::string rowName(const Run& run, const std::string& implementation) {
  return fmt::format("{} {} {} by {}", run.op, run.workload.empty() ? dimensionsText(run) : run.workload,
                     run.dtype, implementation);
}

struct Numbered {
  const Run* run = nullptr;
  std::uint32_t implementation = 0;
};

// The latest of each key, in the order in which the keys come. A run that was cut short stands in for no
// other.
std::vector<Numbered> latestOf(RunSpan runs) {
  std::set<std::string> finished;
  for (const auto& run : runs)
    for (const ImplementationResult& result : run->implementations)
      if (!run->cancelled) finished.insert(keyOf(*run, result.name));
  std::set<std::string> seen;
  std::vector<Numbered> latest;
  for (const auto& run : std::ranges::reverse_view(runs))
    for (auto i = static_cast<std::uint32_t>(run->implementations.size()); i-- > 0;) {
      std::string key = keyOf(*run, run->implementations[i].name);
      if (run->cancelled && finished.contains(key)) continue;
      if (seen.insert(std::move(key)).second) latest.push_back({run.get(), i});
    }
  std::reverse(latest.begin(), latest.end());
  return latest;
}

Json number(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

std::string_view nameOf(Since::Kind kind) {
  switch (kind) {
    case Since::Kind::Compared:
      return "compared";
    case Since::Kind::Lost:
      return "no number now";
    case Since::Kind::New:
      return "no number then";
    case Since::Kind::Refused:
      break;
  }
  return "not comparable";
}

Json toJson(const SuiteRow& row) {
  const Since& since = *row.since;
  Json json{{"op", row.op},
            {"workload", row.workload},
            {"dtype", row.dtype},
            {"dimensions", row.dims},
            {"implementation", row.implementation},
            {"device", row.deviceName},
            {"figures", row.figures},
            {"method", row.method},
            {"l2", row.l2},
            {"outcome", nameOf(since.kind)},
            {"then_busy_ns", number(since.then)},
            {"now_busy_ns", row.measured() ? number(row.busy.median) : Json(nullptr)},
            {"sentence", since.sentence}};
  if (since.kind != Since::Kind::Compared) return json;
  json["different_kernels"] = since.otherKernels;
  json["kernels_only_then"] = since.kernelsOnlyThen;
  json["kernels_only_now"] = since.kernelsOnlyNow;
  json["ratio"] = since.ratio;
  json["range"] = since.range ? Json{{"low", since.range->low}, {"high", since.range->high}} : Json(nullptr);
  json["threshold"] = {{"share", since.threshold.share}, {"source", opscope::nameOf(since.threshold.source)}};
  json["verdict"] = opscope::nameOf(since.verdict);
  json["differences"] = since.differences;
  return json;
}

Json toJson(const std::vector<SessionDiff::Alone>& alone) {
  Json json = Json::array();
  for (const SessionDiff::Alone& each : alone) json.push_back({{"row", each.row}, {"why", each.why}});
  return json;
}

void addAlone(const std::vector<SessionDiff::Alone>& alone, const std::string& side, FurtherTable& table) {
  for (const SessionDiff::Alone& each : alone) table.rows.push_back({side, each.row, each.why});
}

}  // namespace

bool SessionDiff::anyCompared() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const SuiteRow& row) { return row.since->kind == Since::Kind::Compared; });
}

SessionDiff diffOf(std::string thenName, RunSpan then, std::string nowName, RunSpan now,
                   std::optional<double> asked) {
  SessionDiff diff{std::move(thenName), std::move(nowName), {}, {}, {}};
  std::set<std::string> worksThen, worksNow;
  for (const auto& run : then)
    for (const ImplementationResult& result : run->implementations)
      worksThen.insert(workOf(*run, result.name));
  for (const auto& run : now)
    for (const ImplementationResult& result : run->implementations)
      worksNow.insert(workOf(*run, result.name));
  for (const Numbered& place : latestOf(now)) {
    const Run& run = *place.run;
    const ImplementationResult& result = run.implementations[place.implementation];
    if (isImported(run)) {
      diff.onlyNow.push_back({rowName(run, result.name), "imported: compared with nothing"});
      continue;
    }
    const Since since = sinceEarlier(run, place.implementation, then, asked);
    if (since.kind == Since::Kind::New) {
      std::string why = "only there";
      if (!result.hasNumber())
        why = "no number on either side";
      else if (worksThen.contains(workOf(run, result.name)))
        why = since.sentence;
      diff.onlyNow.push_back({rowName(run, result.name), std::move(why)});
      continue;
    }
    SuiteRow row = suiteRows(run, false)[place.implementation];
    row.since = since;
    diff.rows.push_back(std::move(row));
  }
  for (const Numbered& place : latestOf(then)) {
    const ImplementationResult& result = place.run->implementations[place.implementation];
    if (!worksNow.contains(workOf(*place.run, result.name)))
      diff.onlyThen.push_back({rowName(*place.run, result.name), "only there"});
  }
  return diff;
}

std::vector<FurtherTable> diffTables(const SessionDiff& diff) {
  std::vector<FurtherTable> tables;
  if (!diff.rows.empty()) tables.push_back(sinceTable(diff.rows, diff.then));
  if (!diff.onlyThen.empty() || !diff.onlyNow.empty()) {
    FurtherTable table{"Without a partner", {"in", "what", "why"}, {0, 1, 2}, {}, {}};
    addAlone(diff.onlyThen, diff.then, table);
    addAlone(diff.onlyNow, diff.now, table);
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string diffSentence(const SessionDiff& diff) {
  return sinceSentence(diff.rows, diff.then);
}

std::string diffJson(const SessionDiff& diff) {
  Json json{{"format", "opscope-diff"},
            {"version", 1},
            {"then", diff.then},
            {"now", diff.now},
            {"rows", Json::array()}};
  for (const SuiteRow& row : diff.rows) json["rows"].push_back(toJson(row));
  json["only_then"] = toJson(diff.onlyThen);
  json["only_now"] = toJson(diff.onlyNow);
  json["summary"] = diffSentence(diff);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope
