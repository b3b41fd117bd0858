// SPDX-License-Identifier: Apache-2.0
#include "ops/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "device/plugin.h"
#include "ops/near_names.h"

namespace opscope {
namespace {

std::vector<std::filesystem::path> specsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  auto it = std::filesystem::directory_iterator(folder, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error))
    if (it->path().extension() == ".yaml" || it->path().extension() == ".so") files.push_back(it->path());
  if (error)
    throw CannotRead(fmt::format("The folder {} cannot be read: {}", folder.string(), error.message()), {},
                     {folder.string(), 0, 0});
  std::sort(files.begin(), files.end());
  return files;
}

// A library describes its ops in the same words as a file. One that describes none is named by a spec beside
// it.
std::vector<OpSpec> opsOf(const std::filesystem::path& file) {
  if (file.extension() != ".so") return readOps(file);
  const std::string text = Plugin::load(file)->describe();
  return text.empty() ? std::vector<OpSpec>{} : parseOps(text, file);
}

}  // namespace

Catalogue Catalogue::load(const std::vector<std::filesystem::path>& folders) {
  Catalogue catalogue;
  catalogue.folders_ = folders;
  catalogue.stamps_ = stampsOf(folders);  // before anything is read: what is written meanwhile is noticed
  std::map<std::string, Place> defined;
  const auto read = [&](const std::filesystem::path& file) {
    for (OpSpec& op : opsOf(file)) {
      const auto [first, isNew] = defined.emplace(op.name, op.place);
      if (isNew) {
        catalogue.ops_.push_back(std::move(op));
        continue;
      }
      catalogue.problems_.push_back({ErrorCode::BadInput,
                                     fmt::format("The op {} is defined already, in {} line {}", op.name,
                                                 first->second.file, first->second.line),
                                     "Give this one another name.", op.place});
    }
  };
  for (const std::filesystem::path& folder : folders) {
    try {
      for (const std::filesystem::path& file : specsIn(folder)) {
        try {
          read(file);
        } catch (const Error&) {
          catalogue.problems_.push_back(currentErrorInfo());
        }
      }
    } catch (const Error&) {
      catalogue.problems_.push_back(currentErrorInfo());
    }
  }
  return catalogue;
}

Catalogue::Stamps Catalogue::stampsOf(const std::vector<std::filesystem::path>& folders) {
  Stamps stamps;
  for (const std::filesystem::path& folder : folders) {
    std::error_code error;
    auto it = std::filesystem::directory_iterator(folder, error);
    for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
      const auto ending = it->path().extension();
      std::error_code gone;
      if (ending == ".cu") stamps[it->path()];
      if (ending == ".yaml" || ending == ".so")
        stamps[it->path()] = {it->last_write_time(gone), it->file_size(gone)};
    }
  }
  return stamps;
}

bool Catalogue::isCurrent() const {
  return stampsOf(folders_) == stamps_;
}

const OpSpec& Catalogue::op(const std::string& name) const {
  for (const OpSpec& candidate : ops_)
    if (candidate.name == name) return candidate;
  std::vector<std::string> names;
  for (const OpSpec& candidate : ops_) names.push_back(candidate.name);
  throw UnknownName(fmt::format("There is no op \"{}\"", name), nameRemedy(name, names, "ops"));
}

}  // namespace opscope
