// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace opscope::cuda {
namespace {

using std::filesystem::path;
// -Wpedantic knows __extension__ before a typedef, not before a using.
__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using)

class Fnv1a128 {
 public:
  void add(std::string_view text) {
    // The length first, so that "ab" + "c" and "a" + "bc" differ.
    std::uint64_t size = text.size();
    for (int i = 0; i < 8; ++i, size >>= 8) addByte(static_cast<unsigned char>(size));
    for (const char c : text) addByte(static_cast<unsigned char>(c));
  }
  std::string hex() const {
    return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash_ >> 64),
                       static_cast<std::uint64_t>(hash_));
  }

 private:
  void addByte(unsigned char byte) {
    constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
    hash_ = (hash_ ^ byte) * kPrime;
  }
  Wide hash_ = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
};

std::optional<std::string> textOf(const path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string_view trimmedLeft(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t");
  return at == std::string_view::npos ? std::string_view{} : text.substr(at);
}

/// The names in `#include "name"` and `#include <name>` of a text.
std::vector<std::string> includesIn(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmedLeft(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with('#')) continue;
    line = trimmedLeft(line.substr(1));
    if (!line.starts_with("include")) continue;
    line = trimmedLeft(line.substr(7));
    if (line.empty() || (line.front() != '"' && line.front() != '<')) continue;
    const std::size_t close = line.find(line.front() == '"' ? '"' : '>', 1);
    if (close != std::string_view::npos) names.emplace_back(line.substr(1, close - 1));
  }
  return names;
}

}  // namespace

std::vector<std::pair<path, std::string>> includedFiles(const KernelSource& source) {
  std::vector<std::pair<path, std::string>> files;
  std::set<path> seen;
  const auto visit = [&](const auto& self, std::string_view text, const path& folder) -> void {
    for (const std::string& name : includesIn(text)) {
      std::vector<path> candidates;
      if (!folder.empty()) candidates.push_back(folder / name);
      for (const std::string& include : source.includeFolders) candidates.push_back(path(include) / name);
      for (const path& candidate : candidates) {
        std::optional<std::string> found = textOf(candidate);
        if (!found) continue;
        if (seen.insert(candidate.lexically_normal()).second) {
          files.emplace_back(candidate.lexically_normal(), *found);
          self(self, *found, candidate.parent_path());
        }
        break;
      }
    }
  };
  visit(visit, source.source, {});
  return files;
}

std::string keyOf(const KernelSource& source, const std::string& compilerVersion) {
  Fnv1a128 hash;
  const auto addAll = [&](const std::vector<std::string>& texts) {
    hash.add(std::to_string(texts.size()));
    for (const std::string& text : texts) hash.add(text);
  };
  hash.add(source.source);
  hash.add(source.fileName);  // line information in the cubin names it
  const auto files = includedFiles(source);
  hash.add(std::to_string(files.size()));
  for (const auto& [file, text] : files) {
    hash.add(file.string());
    hash.add(text);
  }
  addAll(source.options);
  addAll(source.includeFolders);
  addAll(source.kernels);
  hash.add(source.architecture);
  hash.add(compilerVersion);
  return hash.hex();
}

}  // namespace opscope::cuda
