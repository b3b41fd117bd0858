// SPDX-License-Identifier: Apache-2.0
//
// seeds FOLDER: writes the corpora that the fuzzers start from: one of each message, a small session, and an
// export of Nsight Systems, as a database and as rows of its tables. What the corpus has beside these (the
// greeting and the job of an older protocol) stays.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "import/nsight_tables.h"
#include "remote/records.h"
#include "remote/values.h"
#include "session/pack.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "timing/pass.h"

using namespace opscope;
using namespace opscope::remote;

namespace {

std::shared_ptr<const Pass> smallPass() {
  Pass pass;
  pass.trace.dropped.proven = true;
  const std::uint32_t kernel = pass.trace.names.intern("kernel"), api = pass.trace.names.intern("launch");
  pass.trace.internShape({1, 1, 1, 32, 1, 1, 8, 0, 0});
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Ns at = 1000 + Ns{i} * 10'000;
    for (std::uint32_t k = 0; k < 2; ++k) {
      pass.trace.launches.push_back(
          {at + k * 300, at + k * 300 + 200, 2 * i + k + 1, 7, api, LaunchKind::Kernel});
      pass.trace.kernels.push_back(
          {at + 2000 + k * 2000, at + 3000 + k * 2000, 0, 0, 2 * i + k + 1, kernel, 0, 0, 0, 0});
      pass.trace.externalIds.push_back({i, 2 * i + k + 1});
    }
    pass.trace.iterations.push_back({at, at + 600, at + 6000});
  }
  pass.trace.memops.push_back({5500, 5600, 64, 99, 0, 0, 0, MemopKind::Set});
  pass.telemetry.push_back({1000, 1980, 2619, 38, 132'500, 4});
  judge(pass);
  return std::make_shared<const Pass>(std::move(pass));
}

Run smallRun() {
  Run run;
  run.op = "add";
  run.implementations.push_back({.name = "one", .doc = "doc"});
  run.passes.push_back(smallPass());
  summariseRun(run);
  return run;
}

// Nothing of it is empty, so that a fuzzer finds every field at once. Of no machine: the corpus is kept.
std::vector<std::pair<std::string, Json>> messages() {
  const ErrorInfo error{ErrorCode::CompileFailed, "It does not compile", "Correct it.", {"op.cu", 3, 9}};
  Job job;
  job.op = "add";
  job.workload = "small";
  job.dtype = "float32";
  job.dims = {{"M", 4}, {"N", 256}};
  job.implementations = {"one", "two"};
  job.baseline = "one";
  job.protocol.iterations = 5;
  job.protocol.settleLimit = kMillisecond;
  job.seed = 11;
  job.controls = {.prequeued = true, .tracing = true, .automatic = true};
  job.checkOnly = true;
  const Progress progress{.phase = Phase::Measure,
                          .implementation = "one",
                          .pass = 1,
                          .passes = 4,
                          .iteration = 2,
                          .iterations = 5,
                          .remainingNs = 1'000'000};
  CatalogueInfo catalogue;
  catalogue.ops.push_back({.name = "add",
                           .family = "elementwise",
                           .doc = "doc",
                           .dtypes = {"float32"},
                           .workloads = {{"small", {{"M", 4}}, {"float32"}}},
                           .implementations = {{.name = "one",
                                                .doc = "doc",
                                                .deviceKinds = {"cuda", "host"},
                                                .sources = {{"cuda", "op.cu"}},
                                                .place = {"op.yaml", 7, 5}}},
                           .place = {"op.yaml", 1, 3}});
  catalogue.problems.push_back(error);
  std::vector<DeviceInfo> devices(1);
  devices[0].id = "cuda:0";
  devices[0].kind = "cuda";
  devices[0].nearbyCpus = {0, 1};
  devices[0].versions = {{"driver", "580"}};
  const std::vector<Check> checks{{Check::State::Missing, "CUPTI", "It is not there", "Install it."}};
  const Hello hello{.version = "0.1.0", .sessionFormat = packedRunFormat(), .host = "box", .pid = 77};
  const auto answer = [](int id, Json value) {
    return Json{{"type", "answer"}, {"id", id}, {"value", std::move(value)}};
  };
  return {{"hello", {{"type", "hello"}, {"hello", toJson(hello)}}},
          {"ask", {{"type", "ask"}, {"id", 1}, {"what", "catalogue"}}},
          {"start", {{"type", "start"}, {"job", toJson(job)}}},
          {"stop", {{"type", "stop"}}},
          {"alive", {{"type", "alive"}, {"progress", toJson(progress)}, {"still_ns", 1}}},
          {"progress", {{"type", "progress"}, {"progress", toJson(progress)}}},
          {"catalogue", answer(1, toJson(catalogue))},
          {"devices", answer(2, toJson(devices))},
          {"checks", answer(3, toJson(checks))},
          {"refused", {{"type", "refused"}, {"id", 4}, {"error", toJson(error)}}},
          {"failed", {{"type", "failed"}, {"error", toJson(error)}}}};
}

void writeNsys(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  sqlite::Database database = sqlite::Database::inMemory();
  database.execute("PRAGMA page_size = 512");
  database.execute(test::kNsightTables);
  database.execute(
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 5000, 0, 1291845710, 1, 3, 0), "
      "(10000, 14000, 0, 1291845710, 2, 3, 0);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10500, 30751, 0, 1, 7, 1, 1291845632, 1, 2, 40, 4, 5, "
      "6, 128, "
      "2, 1, 1024, 2048, NULL), (40000, 45000, 0, 1, 20, 2, 1291845632, 2, 2, 40, 4, 5, 6, 128, 2, 1, 0, 0, "
      "NULL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (31000, 33000, 0, 1, 7, 9, 1291845632, 4096, 1);"
      "INSERT INTO NVTX_EVENTS VALUES (900, 6000, 59, 'step', 1291845710, NULL)");
  const auto write = [&](const char* name, const std::vector<std::uint8_t>& bytes) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  write("export", database.image());
  // Tables and values as nsys_fuzz.cpp reads them: a kind, then the value; 5 is a byte, 4 a process and a
  // thread.
  std::vector<std::uint8_t> rows;
  const auto value = [&](int number) { rows.insert(rows.end(), {5, static_cast<std::uint8_t>(number)}); };
  const auto thread = [&] { rows.insert(rows.end(), {4, 77, 78}); };
  for (int i = 0; i < 3; ++i) {
    const int at = 20 + 60 * i;
    rows.push_back(2);  // a call
    for (const int number : {at, at + 5, 0}) value(number);
    thread();
    for (const int number : {i, 3, 0}) value(number);
    rows.push_back(0);  // its kernel
    for (const int number : {at + 10, at + 30, 0, 1, 7, i}) value(number);
    thread();
    for (const int number : {1, 2, 40, 1, 1, 1, 32, 1, 1, 0, 0, 0}) value(number);
    rows.push_back(3);  // the step around both
    for (const int number : {at - 1, at + 50, 59}) value(number);
    rows.push_back(0);
    thread();
    value(6);
  }
  write("rows", rows);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const Run run = smallRun();
  std::vector<Json> job{{{"type", "started"}, {"run", bytesOf(packRun(run))}},
                        {{"type", "prepared"}, {"run", bytesOf(packRun(run))}}};
  sendPass(*run.passes[0], 0, [&](const Json& message) { job.push_back(message); });
  job.push_back({{"type", "void"}, {"block", 0}});
  job.push_back({{"type", "finished"}, {"run", bytesOf(packRun(run))}, {"passes", {0}}});
  std::filesystem::create_directories(folder / "messages");
  std::filesystem::create_directories(folder / "session");
  const auto write = [&](const std::string& name, const std::vector<Json>& each) {
    std::ofstream out(folder / "messages" / name, std::ios::binary);
    for (const Json& message : each) {
      const Bytes frame = frameOf(encode(message));
      out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    }
  };
  for (const auto& [name, message] : messages()) write(name, {message});
  // Without the runs, which are long and the other fuzzer's: the passes between them.
  write("pass", {job.begin() + 2, job.end() - 2});
  write("job", job);
  writeNsys(folder / "nsys");
  writeSession(folder / "session" / "small.opscope", {std::make_shared<Run>(run)});
  writeSession(folder / "session" / "empty.opscope", {});
  return 0;
}
