// SPDX-License-Identifier: Apache-2.0
#include "import/steps.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace opscope {
namespace {

bool isStep(std::string_view text, std::string_view name) {
  if (text == name) return true;
  if (!name.ends_with('#') || !text.starts_with(name)) return false;
  const std::string_view number = text.substr(name.size());
  return !number.empty() &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<std::uint64_t> Steps::at(Ns instant, std::uint64_t processId) const {
  const auto process = ofProcess.find(processId);
  if (process == ofProcess.end()) return std::nullopt;
  const std::vector<std::uint32_t>& own = process->second;
  const auto after = std::upper_bound(own.begin(), own.end(), instant,
                                      [&](Ns at, std::uint32_t step) { return at < stretches[step].start; });
  if (after == own.begin() || stretches[*(after - 1)].end <= instant) return std::nullopt;
  return *(after - 1);
}

Steps findSteps(const std::vector<Annotation>& annotations, const StringTable& names,
                const std::string& name) {
  Steps steps;
  if (name.empty()) return steps;
  std::vector<std::uint32_t>& places = steps.places;
  for (std::uint32_t i = 0; i < annotations.size(); ++i)
    if (isStep(names.text(annotations[i].nameId), name)) places.push_back(i);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t one, std::uint32_t other) {
    const Annotation &a = annotations[one], &b = annotations[other];
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::map<std::uint64_t, Ns> ends;
  std::erase_if(places, [&](std::uint32_t place) {
    const Annotation& step = annotations[place];
    const auto [last, first] = ends.try_emplace(step.processId, step.end);
    if (!first && step.end <= last->second) return true;
    last->second = step.end;
    return false;
  });
  for (const std::uint32_t place : places) steps.stretches.push_back(annotations[place]);
  for (std::uint32_t i = 0; i < steps.stretches.size(); ++i)
    steps.ofProcess[steps.stretches[i].processId].push_back(i);
  return steps;
}

}  // namespace opscope
