// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/ncu_command.h"

#include <algorithm>
#include <tuple>

#include "state/colours.h"
#include "state/same_call.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

/// How many kernels of that name the call launches before this one.
std::size_t launchedBefore(const PassIndex& index, std::uint32_t iteration, std::uint32_t kernel) {
  const Trace& trace = index.pass().trace;
  const auto baseOf = [&](std::uint32_t k) {
    return kernelBaseName(trace.names.text(trace.kernels[k].nameId));
  };
  // Correlation ids are given in the order of the launches; the kernels of one graph share theirs.
  const auto place = [&](std::uint32_t k) {
    return std::tuple(trace.kernels[k].correlationId, trace.kernels[k].start, k);
  };
  std::size_t before = 0;
  for (const std::uint32_t k : index.attribution().kernelsOf(iteration))
    if (baseOf(k) == baseOf(kernel) && place(k) < place(kernel)) ++before;
  return before;
}

}  // namespace

std::string shellWord(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

NcuCommand ncuCommand(const Run& run, const PassIndex& index, std::uint32_t kernel) {
  const Pass& pass = index.pass();
  if (run.figures != "GPU") return {{}, QObject::tr("ncu profiles GPUs, and this ran on another device")};
  const std::int32_t iteration = index.iterationOf(pass.trace.kernels[kernel].correlationId);
  if (iteration < 0) return {{}, QObject::tr("no call launched this kernel")};
  const std::string name(kernelBaseName(pass.trace.names.text(pass.trace.kernels[kernel].nameId)));
  const Job job = sameCall(run);
  std::vector<std::string> words{
      "ncu", "--profile-from-start", "off", "--kernel-name-base", "function", "--kernel-name", name,
      "--launch-skip", std::to_string(launchedBefore(index, static_cast<std::uint32_t>(iteration), kernel)),
      "--launch-count", "1", "--set", "full",
      // At the clocks that it was measured at.
      "--clock-control", "none"};
  if (job.protocol.l2 == L2Mode::Warm) {
    words.emplace_back("--cache-control");
    words.emplace_back("none");
  }
  for (const char* word : {"opscope", "launch"}) words.emplace_back(word);
  const auto add = [&words](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  add("--device", job.device);
  add("--op", job.op);
  add("--workload", job.workload);
  add("--dtype", job.dtype);
  for (const auto& [dim, size] : job.dims) add("--dim", dim + "=" + std::to_string(size));
  add("--impl", run.implementations[pass.implementation].name);
  add("--seed", std::to_string(run.seed));
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shellWord(word);
  return {text(line), {}};
}

}  // namespace opscope::ui
