// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/fake_engine.h"

namespace opscope::uitest {

FakeEngine::~FakeEngine() {
  thread_.request_stop();
  wait();
}

CatalogueInfo FakeEngine::catalogue() {
  CatalogueInfo info;
  info.ops.push_back({"a_trap",
                      "traps",
                      "Fails on purpose.",
                      {"fp32"},
                      {{"small", {{"n", 1024}}, {"fp32"}}},
                      {{"plain", "", {"cuda"}}, {"other", "", {"cuda"}}}});
  info.ops.push_back({"add",
                      "elementwise",
                      "Adds.",
                      {"fp32"},
                      {{"small", {{"n", 1024}}, {"fp32"}}},
                      {{"plain", "", {"cuda"}}}});
  info.ops.push_back({"rms_norm",
                      "normalisation",
                      "Normalises rows.",
                      {"fp32", "bf16"},
                      {{"small", {{"rows", 64}, {"cols", 256}}, {"fp32", "bf16"}},
                       {"large", {{"rows", 2048}, {"cols", 4096}}, {"bf16"}}},
                      {{"one-pass", "one kernel", {"cuda", "host"}},
                       {"eager", "five kernels", {"cuda", "host"}},
                       {"library", "", {"cuda"}}}});
  return info;
}

std::vector<DeviceInfo> FakeEngine::devices() {
  DeviceInfo host;
  host.id = "host";
  host.kind = "host";
  host.name = "Some CPU";
  host.figures = FigureKind::HostCpu;
  host.method = "host-records";
  DeviceInfo gpu = host;
  gpu.id = "cuda:0";
  gpu.kind = "cuda";
  gpu.name = "Some GPU";
  gpu.figures = FigureKind::Gpu;
  gpu.method = "cupti";
  return {host, gpu};
}

void FakeEngine::start(const Job& job, EngineHandler handler) {
  wait();
  lastJob = job;
  thread_ = std::jthread([this, handler = std::move(handler)](std::stop_token stop) {
    if (play_) play_(stop, handler);
  });
}

void FakeEngine::wait() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace opscope::uitest
