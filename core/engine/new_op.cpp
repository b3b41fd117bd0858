// SPDX-License-Identifier: Apache-2.0
#include "engine/new_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "device/provider.h"
#include "session/export.h"

namespace opscope {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw CannotRead(fmt::format("The template {} cannot be read", file.string()),
                     "Keep the unpacked folders of Opscope together.");
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

bool isName(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

}  // namespace

std::vector<fs::path> writeNewOp(const fs::path& folder, const std::string& name) {
  if (!isName(name))
    throw BadInput(fmt::format("'{}' cannot be an op's name", name),
                   "Begin with a letter; letters, digits, '_' and '-' may follow, 64 characters in all.");
  std::string symbol = name;  // in CUDA, a name has no dash
  std::replace(symbol.begin(), symbol.end(), '-', '_');
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw CannotWrite(fmt::format("The folder {} cannot be made: {}", folder.string(), error.message()));
  std::vector<std::pair<fs::path, std::string>> files;
  for (const char* ending : {".yaml", ".cu"}) {
    const fs::path file = folder / (name + ending);
    if (fs::exists(file))
      throw CannotWrite(fmt::format("{} is there already", file.string()), "Choose another name or folder.");
    const std::string text = read(resourceFolder() / "templates" / (std::string("new_op") + ending));
    files.emplace_back(file, replaced(replaced(text, "NEW_OP_NAME", name), "NEW_OP_SYMBOL", symbol));
  }
  std::vector<fs::path> written;
  for (const auto& [file, text] : files) {
    writeTextFile(file, text);
    written.push_back(file);
  }
  return written;
}

}  // namespace opscope
