// SPDX-License-Identifier: Apache-2.0
#include "engine/ceilings.h"

#include <algorithm>
#include <bit>

namespace opscope {
namespace {

constexpr const char* kLibrary = "cublaslt";
constexpr const char* kMemoryDtype = "float32";
constexpr std::int64_t kMemoryElementBytes = 4;
// What of a tensor can still lie in L2 must not show: an eighth of it, before what the clear took.
constexpr std::int64_t kTimesL2 = 8;
constexpr std::int64_t kSmallestTensor = std::int64_t{64} << 20;
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 30;
// Large enough that tiles at the edge and the start of a kernel do not show, on the device they are for.
constexpr std::int64_t kGpuSide = 8192;
constexpr std::int64_t kHostSide = 512;

const CatalogueInfo::Op* opOf(const CatalogueInfo& catalogue, const std::string& name) {
  for (const CatalogueInfo::Op& op : catalogue.ops)
    if (op.name == name) return &op;
  return nullptr;
}

std::vector<std::string> implementationsOf(const CatalogueInfo::Op& op, const std::string& kind) {
  std::vector<std::string> names;
  for (const CatalogueInfo::Implementation& implementation : op.implementations)
    if (std::count(implementation.deviceKinds.begin(), implementation.deviceKinds.end(), kind) > 0)
      names.push_back(implementation.name);
  return names;
}

// A quarter of the memory holds the largest probe's three tensors, whatever else is there.
std::int64_t tensorBytes(const DeviceInfo& device) {
  const std::int64_t largest = device.kind == "host"    ? kSmallestTensor
                               : device.memoryBytes > 0 ? std::min(kLargestTensor, device.memoryBytes / 12)
                                                        : kLargestTensor;
  const auto wanted = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(kSmallestTensor, kTimesL2 * device.l2Bytes))));
  return std::min(wanted, largest);
}

void addMemory(const CatalogueInfo& catalogue, const DeviceInfo& device, const Job& job,
               std::vector<Job>& jobs) {
  for (const char* name : {"copy", "triad"}) {
    const CatalogueInfo::Op* op = opOf(catalogue, name);
    if (op == nullptr) continue;
    Job probe = job;
    probe.op = name;
    probe.dtype = kMemoryDtype;
    probe.dims = {{"n", tensorBytes(device) / kMemoryElementBytes}};
    probe.implementations = implementationsOf(*op, device.kind);
    if (!probe.implementations.empty()) jobs.push_back(std::move(probe));
  }
}

void addMatrix(const CatalogueInfo& catalogue, const DeviceInfo& device, const Job& job,
               std::vector<Job>& jobs) {
  const std::int64_t side = device.kind == "host" ? kHostSide : kGpuSide;
  for (const char* name : {"gemm", "gemm_fp8"}) {
    const CatalogueInfo::Op* op = opOf(catalogue, name);
    if (op == nullptr) continue;
    const std::vector<std::string> known = implementationsOf(*op, device.kind);
    if (known.empty()) continue;
    // The vendor's library is what others are slower than; without one, the first of ours.
    const bool library = std::count(known.begin(), known.end(), kLibrary) > 0;
    const std::string implementation = library ? kLibrary : known.front();
    for (const std::string& dtype : op->dtypes) {
      Job probe = job;
      probe.op = name;
      probe.dtype = dtype;
      probe.dims = {{"m", side}, {"n", side}, {"k", side}};
      if (op->name == "gemm") probe.dims.insert({{"trans_a", 0}, {"trans_b", 1}});
      probe.implementations = {implementation};
      jobs.push_back(std::move(probe));
    }
  }
}

}  // namespace

std::vector<Job> ceilingJobs(const CatalogueInfo& catalogue, const DeviceInfo& device, const Job& job) {
  std::vector<Job> jobs;
  addMemory(catalogue, device, job, jobs);
  addMatrix(catalogue, device, job, jobs);
  return jobs;
}

}  // namespace opscope
