// SPDX-License-Identifier: Apache-2.0
#include "ops/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace opscope {
namespace {

std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const bool same =
          std::tolower(static_cast<unsigned char>(a[i])) == std::tolower(static_cast<unsigned char>(b[j]));
      const std::size_t substituted = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearNames(std::string_view name, const std::vector<std::string>& known) {
  // An input of any length reaches this; names that long resemble nothing and would cost quadratic time.
  constexpr std::size_t kLongestName = 100;
  if (name.empty() || name.size() > kLongestName) return {};
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    const std::size_t distance = editDistance(name, candidate);
    const bool contains = candidate.find(name) != std::string::npos;
    if (contains || distance <= std::max<std::size_t>(1, name.size() / 3))
      found.emplace_back(distance, candidate);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i)
    names.push_back(std::move(found[i].second));
  return names;
}

std::string nameRemedy(std::string_view name, const std::vector<std::string>& known, std::string_view what) {
  if (known.empty()) return fmt::format("There are no {} here.", what);
  const std::vector<std::string> near = nearNames(name, known);
  if (near.empty()) return fmt::format("The {} are: {}.", what, fmt::join(known, ", "));
  return fmt::format("Did you mean {}? The {} are: {}.", fmt::join(near, " or "), what,
                     fmt::join(known, ", "));
}

}  // namespace opscope
