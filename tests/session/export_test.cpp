// SPDX-License-Identifier: Apache-2.0
#include "session/export.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Rows = std::vector<std::vector<std::string>>;

// RFC 4180 and nothing more lenient: a bare quote, LF or CR outside quotes is an error.
Rows parseCsv(const std::string& text) {
  Rows rows;
  std::vector<std::string> row;
  std::string field;
  bool quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quotes) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quotes = false;
      }
    } else if (c == '"') {
      REQUIRE(field.empty());
      quotes = true;
    } else if (c == ',') {
      row.push_back(std::exchange(field, {}));
    } else if (c == '\r') {
      REQUIRE(i + 1 < text.size());
      REQUIRE(text[++i] == '\n');
      row.push_back(std::exchange(field, {}));
      rows.push_back(std::exchange(row, {}));
    } else {
      REQUIRE(c != '\n');
      field += c;
    }
  }
  REQUIRE_FALSE(quotes);
  REQUIRE(row.empty());
  REQUIRE(field.empty());
  return rows;
}

// Rows by column name; every row must be as wide as the header.
std::vector<std::map<std::string, std::string>> records(const std::string& text) {
  const Rows rows = parseCsv(text);
  REQUIRE_FALSE(rows.empty());
  std::vector<std::map<std::string, std::string>> out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    REQUIRE(rows[r].size() == rows[0].size());
    std::map<std::string, std::string> record;
    for (std::size_t c = 0; c < rows[0].size(); ++c) record[rows[0][c]] = rows[r][c];
    REQUIRE(record.size() == rows[0].size());  // no column name twice
    out.push_back(record);
  }
  return out;
}

Runs oneRun() {
  return {std::make_shared<Run>(syntheticRun())};
}

std::string lineWith(const std::string& text, const std::string& part) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find(part) != std::string::npos) return line;
  return {};
}

}  // namespace

TEST_CASE("the summary CSV has a row per implementation, and no number after a failure") {
  const auto rows = records(summaryCsv(oneRun()));
  REQUIRE(rows.size() == 2);
  const auto& good = rows[0];
  CHECK(good.at("op") == "rms_norm");
  CHECK(good.at("workload") == "llama, \"8b\" prefill");
  CHECK(good.at("dimensions") == "M=2048 N=4096");
  CHECK(good.at("implementation") == "one|pass");
  CHECK(good.at("n") == "4");
  // Pooled busy times 12, 12, 14, 14 us: the median lies between, latency is 3 us more.
  CHECK(good.at("busy_median_ns") == "13000");
  CHECK(good.at("busy_p10_ns") == "12000");
  CHECK(good.at("busy_p90_ns") == "14000");
  CHECK(good.at("latency_median_ns") == "16000");
  CHECK(good.at("gap_median_ns") == "3000");
  CHECK(good.at("kernels_min") == "2");
  CHECK(good.at("kernels_max") == "2");
  CHECK(good.at("gaps_host_late") == "2");
  CHECK(good.at("gaps_host_late_ns") == "6000");
  CHECK(good.at("gaps_undecided") == "2");
  CHECK(std::stod(good.at("bytes_per_s")) == 33'562'624 / 13e-6);
  CHECK(good.at("result") == "verified");
  CHECK(good.at("failure").empty());
  CHECK(good.at("seed") == "17293822569102704641");
  CHECK(good.at("attempts") == "2");
  CHECK(good.at("dropped_records") == "12");
  CHECK(good.at("sm_clock_low_mhz") == "1755");
  CHECK(good.at("sm_clock_high_mhz") == "1980");
  CHECK(good.at("device") == "NVIDIA H200");
  CHECK(good.at("figures") == "GPU");
  CHECK(good.at("method") == "cupti");
  CHECK(good.at("l2") == "clean");
  CHECK(good.at("environment") == "driver=580.105; opscope=0.1.0");

  const auto& failed = rows[1];
  CHECK(failed.at("implementation") == "eager");
  CHECK(failed.at("failure") == "RecordsLost");
  CHECK_THAT(failed.at("failure_text"), ContainsSubstring("12 records were dropped"));
  for (const auto& [column, value] : failed)
    if (column.ends_with("_ns") && column != "started_unix_ns") {
      INFO(column);
      CHECK(value.empty());
    }
  for (const char* column : {"n", "kernels_min", "kernels_median", "kernels_max", "memops_median",
                             "flops_per_s", "bytes_per_s", "gaps_host_late"}) {
    INFO(column);
    CHECK(failed.at(column).empty());
  }
}

TEST_CASE("the samples CSV begins with the columns that it is known for") {
  const std::string csv = samplesCsv(oneRun());
  CHECK(csv.starts_with(
      "op,workload,dtype,implementation,block,pass,position,iteration,busy_ns,latency_ns,gap_ns,"
      "n_kernels,"));
  const auto rows = records(csv);
  REQUIRE(rows.size() == 4);  // of A alone: B failed
  CHECK(rows[2].at("pass") == "2");
  CHECK(rows[2].at("iteration") == "0");
  CHECK(rows[2].at("busy_ns") == "14000");
  CHECK(rows[2].at("latency_ns") == "17000");
  CHECK(rows[2].at("gap_ns") == "3000");
  CHECK(rows[2].at("n_kernels") == "2");
  CHECK(rows[2].at("sm_clock_mhz") == "1755-1980");
  CHECK(rows[2].at("l2") == "clean (partial)");
}

TEST_CASE("the kernels CSV has every kernel in the order in which it ran") {
  const auto rows = records(kernelsCsv(oneRun()));
  REQUIRE(rows.size() == 8);
  CHECK(rows[0].at("iteration") == "0");
  CHECK(rows[0].at("kernel") == "0");
  CHECK(rows[0].at("name") == "rms_norm<float, 4>(float const*, \"quoted\")");
  CHECK(rows[0].at("start_ns") == "1700000000000000000");
  CHECK(rows[0].at("duration_ns") == "4000");
  CHECK(rows[0].at("grid_x") == "2048");
  CHECK(rows[0].at("registers") == "40");
  CHECK(rows[1].at("kernel") == "1");
  CHECK(rows[1].at("name") == "scale");
  CHECK(rows[1].at("graph_node_id") == "9007199254740993");
}

TEST_CASE("the gaps CSV has parts that add up, and both sides of an undecided cause") {
  const auto rows = records(gapsCsv(oneRun()));
  REQUIRE(rows.size() == 4);
  for (const auto& row : rows)
    CHECK(std::stoll(row.at("copy_ns")) + std::stoll(row.at("host_ns")) +
              std::stoll(row.at("instrument_ns")) + std::stoll(row.at("device_ns")) ==
          std::stoll(row.at("length_ns")));
  CHECK(rows[0].at("cause") == "host-late");
  CHECK(rows[0].at("one_cause").empty());
  CHECK(rows[0].at("kernel_after") == "scale");
  CHECK(rows[1].at("cause") == "undecided");
  CHECK(rows[1].at("one_cause") == "latency-exposed");
  CHECK(rows[1].at("other_cause") == "queued");
}

TEST_CASE("JSON has everything but raw records") {
  const auto json = nlohmann::json::parse(runsJson(oneRun()));
  CHECK(json.at("format") == "opscope-runs");
  const auto& run = json.at("runs").at(0);
  CHECK(run.at("seed") == "17293822569102704641");
  CHECK(run.at("dimensions").at("N") == 4096);
  CHECK(run.at("note") == syntheticRun().note);
  const auto& good = run.at("implementations").at(0);
  CHECK(good.at("busy").at("median_ns") == 13000);
  CHECK(good.at("gaps_by_cause").at("host-late").at("count") == 2);
  const auto& failed = run.at("implementations").at(1);
  CHECK(failed.at("failure").at("name") == "RecordsLost");
  CHECK(failed.at("failure").at("place").at("line") == 3);
  CHECK(failed.at("verification").at("worst").is_null());
  CHECK_FALSE(failed.contains("busy"));
  CHECK_FALSE(failed.contains("bytes_per_s"));
  REQUIRE(run.at("passes").size() == 3);
  CHECK(run.at("passes").at(0).at("samples").at("busy_ns") == std::vector<Ns>{12'000, 12'000});
  CHECK(run.at("passes").at(0).at("gaps").at(0).at("host_ns") == 1800);
  CHECK_FALSE(run.at("passes").at(1).contains("samples"));
  CHECK(run.at("passes").at(1).at("failure").at("name") == "RecordsLost");
  CHECK(run.at("findings").at(0).at("rule") == "host-late");
}

TEST_CASE("JSON survives names that are not UTF-8") {
  Run run = syntheticRun();
  run.implementations[0].doc = "bad \xFF byte";
  CHECK(nlohmann::json::accept(runsJson({std::make_shared<Run>(run)})));
}

TEST_CASE("Markdown escapes what would end a cell or become HTML") {
  const std::string text = runsMarkdown(oneRun());
  const std::string good = lineWith(text, "one");
  CHECK_THAT(good, ContainsSubstring("one\\|pass"));
  const auto bars = [](const std::string& line) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++count;
    return count;
  };
  const std::string header = lineWith(text, "implementation");
  CHECK(bars(good) == bars(header));
  CHECK(bars(lineWith(text, "eager")) == bars(header));
  Run run = syntheticRun();
  run.implementations[0].name = "f<float>\nx";
  CHECK_THAT(runsMarkdown({std::make_shared<Run>(run)}), ContainsSubstring("| f&lt;float&gt; x |"));
}

TEST_CASE("the table says how its numbers were made") {
  const std::string text = runsTable(oneRun());
  CHECK_THAT(text, ContainsSubstring("rms_norm") && ContainsSubstring("bfloat16") &&
                       ContainsSubstring("M=2048 N=4096"));
  CHECK_THAT(text, ContainsSubstring("GPU figures") && ContainsSubstring("NVIDIA H200 (cuda:0)"));
  CHECK_THAT(text, ContainsSubstring("method cupti, L2 clean") && ContainsSubstring("dropped records 12") &&
                       ContainsSubstring("attempts 2") && ContainsSubstring("seed 17293822569102704641"));
  CHECK_THAT(text, ContainsSubstring("SM clock 1980 MHz, memory clock 2619 MHz, up to 38 C, up to 132 W"));
  CHECK_THAT(text, ContainsSubstring("held down by: reason 0x8000000000000000"));
  // One copy of 100 ns in every call, outside of busy.
  CHECK_THAT(text, ContainsSubstring("copies in a call"));
  CHECK_THAT(text, ContainsSubstring("1, 0.1000 us"));
  const std::string good = lineWith(text, "one|pass");
  CHECK_THAT(good, ContainsSubstring("13.00") && ContainsSubstring("16.00") && ContainsSubstring("verified"));
  CHECK_THAT(good, ContainsSubstring("18.8 %"));  // 3 of 16 us
  CHECK_THAT(good, ContainsSubstring("1, 3.000 us: 50 % host-late, 50 % undecided"));
  CHECK_THAT(text, ContainsSubstring("1 of 2 gaps is host-late."));
}

TEST_CASE("a failed implementation has a sentence in the table and no number") {
  Run run = syntheticRun();
  run.implementations[1].failure =
      ErrorInfo{ErrorCode::OffThreadLaunch, "No iteration launched this", "Look there.", {}};
  const std::string line = lineWith(runsTable({std::make_shared<Run>(run)}), "eager");
  CHECK_THAT(line, ContainsSubstring("OffThreadLaunch: No iteration launched this. Look there."));
  CHECK(line.find_first_of("0123456789") == std::string::npos);
  const std::string row = lineWith(runsMarkdown({std::make_shared<Run>(run)}), "eager");
  CHECK(row.find_first_of("0123456789") == std::string::npos);
}

TEST_CASE("a failed implementation keeps no number even where its summary has one") {
  Run run = syntheticRun();
  // As when the second pass fails and the first was good.
  run.implementations[0].failure = ErrorInfo{ErrorCode::NoKernel, "nothing ran", "", {}};
  const Runs runs{std::make_shared<Run>(run)};
  CHECK(records(samplesCsv(runs)).empty());
  CHECK(records(kernelsCsv(runs)).empty());
  CHECK(records(gapsCsv(runs)).empty());
  CHECK(records(summaryCsv(runs))[0].at("busy_median_ns").empty());
  CHECK_THAT(runsTable(runs), !ContainsSubstring("13.00"));
}

TEST_CASE("a wrong result that was measured all the same is marked everywhere") {
  Run run = syntheticRun();
  run.implementations[0].verification.state = VerificationRecord::State::Failed;
  const Runs runs{std::make_shared<Run>(run)};
  CHECK_THAT(runsTable(runs), ContainsSubstring("WRONG RESULT: one|pass"));
  CHECK_THAT(lineWith(runsTable(runs), "13.00"), ContainsSubstring("WRONG"));
  CHECK_THAT(runsMarkdown(runs), ContainsSubstring("WRONG"));
  CHECK(records(summaryCsv(runs))[0].at("result") == "WRONG");
  CHECK(records(samplesCsv(runs))[0].at("result") == "WRONG");
  CHECK(nlohmann::json::parse(runsJson(runs)).at("runs").at(0).at("implementations").at(0).at("result") ==
        "WRONG");
}

TEST_CASE("an unproven drop counter is unknown, never 0") {
  Run run = syntheticRun();
  auto pass = std::make_shared<Pass>(*run.passes[0]);
  pass->trace.dropped = {};
  run.passes[0] = pass;
  const Runs runs{std::make_shared<Run>(run)};
  CHECK_THAT(runsTable(runs), ContainsSubstring("dropped records unknown"));
  CHECK(records(summaryCsv(runs))[0].at("dropped_records") == "unknown");
}

TEST_CASE("controls and methods stand under the table, and say what is missing") {
  const std::string table = runsTable(oneRun());
  CHECK_THAT(table, ContainsSubstring("gaps when the whole call is queued ahead of the device"));
  CHECK_THAT(table, ContainsSubstring("host-late (3 of 4)") && ContainsSubstring("confirmed"));
  CHECK_THAT(table, ContainsSubstring("disagrees"));
  CHECK_THAT(table, ContainsSubstring("21.00 us as measured, 15.10 us queued ahead"));
  CHECK_THAT(table, ContainsSubstring("recording costs a call 1.200 us: 8.100 us with it, 6.900 us without "
                                      "(event pairs around the call, n 4 each, resolution 138.1 ns)"));
  CHECK_THAT(table, ContainsSubstring("NotSupported: The call cannot be captured"));
  const std::string markdown = runsMarkdown(oneRun());
  CHECK_THAT(markdown, ContainsSubstring("| 2. mean&lt;float&gt;, \"2\" | 8.000 | 1.500 | 6.500 |"));
}

TEST_CASE("controls and methods have CSV files of their own, and only where there are any") {
  const auto gaps = records(prequeuedCsv(oneRun()));
  REQUIRE(gaps.size() == 5 + 1);  // three totals and two gaps; the other implementation's failure
  CHECK(gaps[0].at("quantity") == "latency");
  CHECK(gaps[0].at("measured_ns") == "21000");
  CHECK(gaps[0].at("host_cost_ns") == "5900");
  CHECK(gaps[3].at("kernel_after") == "mean<float>, \"2\"");
  CHECK(gaps[3].at("labelled") == "3/4");
  CHECK(gaps[3].at("experiment") == "confirmed");
  CHECK(gaps[5].at("quantity") == "failure");
  CHECK_THAT(gaps[5].at("remark"), ContainsSubstring("cannot be captured"));
  const auto methods = records(methodsCsv(oneRun()));
  REQUIRE(methods.size() == 2);
  CHECK(methods[0].at("median_ns") == "12500");
  CHECK(methods[1].at("median_ns").empty());
  CHECK_THAT(methods[1].at("failure_text"), ContainsSubstring("cannot be captured"));
  Run plain = syntheticRun();
  for (ImplementationResult& result : plain.implementations) {
    result.prequeued.reset();
    result.methods.clear();
  }
  const Runs none{std::make_shared<Run>(plain)};
  CHECK(prequeuedCsv(none).empty());
  CHECK(methodsCsv(none).empty());
}

TEST_CASE("JSON has controls and methods, and control passes apart") {
  const auto json = nlohmann::json::parse(runsJson(oneRun())).at("runs").at(0);
  CHECK(json.at("controls").size() == 1);
  CHECK(json.at("controls").at(0).at("control") == "prequeued");
  const auto& first = json.at("implementations").at(0);
  CHECK(first.at("prequeued").at("gaps").at(0).at("host_cost_ns") == 6500);
  CHECK(first.at("prequeued").at("latency").at("queued_ahead_ns") == 15100);
  CHECK(first.at("tracing_cost").at("cost_ns") == 1200.25);
  CHECK(first.at("methods").at(1).at("failure").at("name") == "NotSupported");
  CHECK(first.at("methods").at(1).at("per_call").is_null());
}

TEST_CASE("nothing measured is no crash") {
  CHECK(runsTable({}).empty());
  CHECK(records(summaryCsv({})).empty());
  const Runs runs{std::make_shared<Run>()};
  CHECK_THAT(runsTable(runs), ContainsSubstring("no pass finished"));
  CHECK(nlohmann::json::accept(runsJson(runs)));
}
