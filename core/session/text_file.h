// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace opscope {

/// A file under construction beside the one it will replace, so that the replacement is one rename. Removed,
/// with whatever SQLite put beside it, unless it replaced something.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Waits until its bytes are on the disk. Throws CannotWrite.
  void sync() const;
  /// Throws CannotWrite.
  void replace(const std::filesystem::path& target) const;

 private:
  std::filesystem::path path_;
};

/// "." for a file named without one.
std::filesystem::path folderOf(const std::filesystem::path& file);

/// Throws CannotWrite when `file` could not be written now: its folder is missing or cannot be written, it is
/// a folder, or it is protected. Leaves nothing behind.
void checkWritable(const std::filesystem::path& file);

}  // namespace opscope
