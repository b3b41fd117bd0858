// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace opscope::ui {

/// Notices that files were written, however an editor does it: in place, or by putting another file in its
/// stead, for a moment of which there is none. GUI thread.
class FileWatcher : public QObject {
  Q_OBJECT
 public:
  /// A file is told of once nothing happened to it for so long: editors write in several steps.
  static constexpr std::chrono::milliseconds kSettle{30};

  explicit FileWatcher(QObject* parent = nullptr);
  /// These and no others; those that were watched keep what is known of them.
  void watch(const std::vector<std::filesystem::path>& files);

 Q_SIGNALS:
  /// It is there, and is not what it was.
  void written(const QString& file);

 private:
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t bytes = -1;  ///< -1: it was never there
    std::int64_t writtenNs = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stampOf(const std::filesystem::path& file);
  void look();
  void follow();

  QFileSystemWatcher watcher_;
  QTimer settle_;
  std::map<std::filesystem::path, Stamp> files_;
};

}  // namespace opscope::ui
