// SPDX-License-Identifier: Apache-2.0
#include "session/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

#include "base/error.h"
#include "session/export.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void cannotWrite(const fs::path& file, const std::string& why, const std::string& remedy) {
  throw CannotWrite(fmt::format("Cannot write {}: {}", file.string(), why), remedy);
}

// Devices and pipes (/dev/stdout, a shell's >(...)) cannot be replaced by a rename.
bool isSpecial(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

void writeTo(const fs::path& path, const fs::path& shown, const std::string& text) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) cannotWrite(shown, std::strerror(errno), "Choose another place.");
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
  if (!written) cannotWrite(shown, std::strerror(errno), "Choose another place.");
}

}  // namespace

fs::path folderOf(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

TemporaryFile::TemporaryFile(const fs::path& target)
    : path_(folderOf(target) / fmt::format(".{}.{}.part", target.filename().string(), getpid())) {}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    fs::path path = path_;
    path += suffix;
    fs::remove(path, ignored);
  }
}

void TemporaryFile::sync() const {
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  if (!synced) cannotWrite(path_, std::strerror(reason), "Choose another place.");
}

void TemporaryFile::replace(const fs::path& target) const {
  std::error_code error;
  fs::rename(path_, target, error);
  if (error) cannotWrite(target, error.message(), "Choose another place.");
}

void checkWritable(const fs::path& file) {
  if (file.empty() || file.filename().empty())
    cannotWrite(file, "this is not the name of a file", "Name a file.");
  std::error_code error;
  if (fs::is_directory(file, error)) cannotWrite(file, "it is a folder", "Name a file in it.");
  if (fs::exists(file, error) && access(file.c_str(), W_OK) != 0)
    cannotWrite(file, std::strerror(errno), "Choose another name, or change the permissions of the file.");
  if (isSpecial(file)) return;
  const fs::path folder = folderOf(file);
  if (!fs::exists(folder, error))
    cannotWrite(file, fmt::format("there is no folder {}", folder.string()), "Create the folder first.");
  if (!fs::is_directory(folder, error))
    cannotWrite(file, fmt::format("{} is not a folder", folder.string()), "Choose another place.");
  // Permission bits do not tell of read-only mounts, quotas and the like; only trying does.
  const TemporaryFile probe(file);
  const int descriptor = open(probe.path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) cannotWrite(file, std::strerror(errno), "Choose another place.");
  close(descriptor);
}

void writeTextFile(const fs::path& file, const std::string& text) {
  checkWritable(file);
  if (isSpecial(file)) {
    writeTo(file, file, text);
    return;
  }
  const TemporaryFile temporary(file);
  writeTo(temporary.path(), file, text);
  temporary.sync();
  temporary.replace(file);
}

}  // namespace opscope
