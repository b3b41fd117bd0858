// SPDX-License-Identifier: Apache-2.0
//
// seeds FOLDER: writes the corpora that the fuzzers start from: one of each message, and a small session.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "remote/records.h"
#include "remote/values.h"
#include "session/pack.h"
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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const Run run = smallRun();
  std::vector<Json> messages{{{"type", "hello"}, {"hello", toJson(ownHello())}},
                             {{"type", "start"}, {"job", toJson(Job{})}},
                             {{"type", "alive"}, {"progress", toJson(Progress{})}, {"still_ns", 1}},
                             {{"type", "answer"}, {"id", 1}, {"value", toJson(CatalogueInfo{})}},
                             {{"type", "answer"}, {"id", 2}, {"value", toJson(std::vector<DeviceInfo>(1))}},
                             {{"type", "failed"}, {"error", toJson(ErrorInfo{})}}};
  std::vector<Json> job{{{"type", "started"}, {"run", bytesOf(packRun(run))}}};
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
  for (std::size_t i = 0; i < messages.size(); ++i) write(fmt::format("message-{}", i), {messages[i]});
  // Without the runs, which are long and the other fuzzer's: the passes between them.
  write("pass", {job.begin() + 1, job.end() - 2});
  write("job", job);
  writeSession(folder / "session" / "small.opscope", {std::make_shared<Run>(run)});
  writeSession(folder / "session" / "empty.opscope", {});
  return 0;
}
