// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <limits>
#include <set>

#include "engine/catalogue_info.h"
#include "ops/catalogue.h"
#include "ops/published_rows.h"
#include "suite/job_list.h"

using namespace opscope;
using namespace opscope::test;

// Published rows that wrap a library which is called here, too: for these the same work is done by the same
// code, and what differs is versions, clocks and timers.

namespace {

/// Our implementation that calls the library which a published one wraps; empty when none does.
std::string libraryOf(const PublishedRow& row) {
  if (row.implementation == "torch-cublas") return "cublaslt";
  if (row.implementation == "torch-cudnn") return "cudnn";
  if (row.implementation == "torch-cufft") return "cufft";
  if (row.implementation == "torch" && row.op == "conv2d")
    return "cudnn";  // PyTorch's convolutions are cuDNN's
  return {};
}

std::string keyOf(const std::string& op, const std::string& workload, const std::string& dtype) {
  return op + "/" + workload + "/" + dtype;
}

std::string tableLine(const PublishedRow& row, const std::string& implementation, double ours) {
  return fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {} |\n", row.op, row.workload,
                     row.dtype, implementation, ours, row.busyMs * 1000, ours / (row.busyMs * 1000),
                     row.implementation);
}

}  // namespace

TEST_CASE("the list of library rows has every published row of a library that is called here") {
  const auto published = publishedRows();
  if (published.empty()) SKIP("the published rows are not here; set OPSCOPE_SHARED_DATA");
  const Catalogue catalogue =
      Catalogue::load({std::filesystem::path(OPSCOPE_SOURCE_DIR) / "resources" / "ops"});
  std::ifstream file(std::filesystem::path(OPSCOPE_SOURCE_DIR) / "docs" / "examples" / "library-rows.yaml");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::set<std::string> listed;
  for (const SuiteEntry& entry : parseJobList(text, "library-rows.yaml", {}, describeCatalogue(catalogue)))
    for (const std::string& workload : entry.workloads)
      for (const std::string& dtype : entry.dtypes)
        for (const std::string& implementation : entry.job.implementations)
          listed.insert(keyOf(entry.job.op, workload, dtype) + "/" + implementation);
  std::set<std::string> wanted;
  for (const PublishedRow& row : published)
    if (!libraryOf(row).empty()) wanted.insert(keyOf(row.op, row.workload, row.dtype) + "/" + libraryOf(row));
  for (const std::string& key : wanted) {
    CAPTURE(key);
    CHECK(listed.contains(key));
  }
  for (const std::string& key : listed) {
    CAPTURE(key);
    CHECK(wanted.contains(key));
  }
  CHECK(wanted.size() >= 25);
}

// Prints what docs/measurements has: OPSCOPE_SUITE_CSV is the file of `opscope suite --csv`.
TEST_CASE("our rows beside the published ones", "[.published]") {
  const char* suite = std::getenv("OPSCOPE_SUITE_CSV");
  if (suite == nullptr) SKIP("set OPSCOPE_SUITE_CSV to the CSV of a suite with --l2 zero");
  const auto published = publishedRows();
  if (published.empty()) SKIP("the published rows are not here; set OPSCOPE_SHARED_DATA");
  std::map<std::string, std::map<std::string, double>> measured;  // by key and implementation, in us
  for (const auto& row : csvRows(suite))
    if (row.at("state") == "measured" && row.at("result") == "verified")
      measured[keyOf(row.at("op"), row.at("workload"), row.at("dtype"))][row.at("implementation")] =
          std::stod(row.at("busy_median_ns")) / 1000;
  REQUIRE_FALSE(measured.empty());

  const std::string head =
      "\n| op | workload | dtype | ours | ours us | theirs us | ratio | theirs is "
      "|\n|---|---|---|---|---|---|---|---|\n";
  std::string libraries, others;
  int beside = 0, within = 0;
  std::map<std::string, PublishedRow> quickest;
  for (const PublishedRow& row : published) {
    const auto ours = measured.find(keyOf(row.op, row.workload, row.dtype));
    if (ours == measured.end()) continue;
    const std::string library = libraryOf(row);
    if (library.empty()) {
      const auto [known, added] = quickest.emplace(ours->first, row);
      if (!added && row.busyMs < known->second.busyMs) known->second = row;
      continue;
    }
    const auto same = ours->second.find(library);
    if (same == ours->second.end()) continue;
    libraries += tableLine(row, library, same->second);
    const double ratio = same->second / (row.busyMs * 1000);
    ++beside;
    within += ratio >= 0.95 && ratio <= 1.05 ? 1 : 0;
  }
  for (const auto& [key, row] : quickest) {
    const auto best = std::min_element(measured[key].begin(), measured[key].end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    others += tableLine(row, best->first, best->second);
  }
  std::cout << "\nThe same library on both sides, " << beside << " rows, " << within
            << " within 5 % before clocks are scaled:\n"
            << head << libraries << "\nThe quickest of ours beside the quickest published other kernel, "
            << quickest.size() << " rows:\n"
            << head << others;
  CHECK(beside + static_cast<int>(quickest.size()) > 0);
}
