// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/file_watcher.h"

#include <sys/stat.h>

#include "state/text.h"

namespace opscope::ui {

FileWatcher::FileWatcher(QObject* parent) : QObject(parent) {
  settle_.setSingleShot(true);
  settle_.setInterval(kSettle);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, &settle_, qOverload<>(&QTimer::start));
  connect(&settle_, &QTimer::timeout, this, &FileWatcher::look);
}

FileWatcher::Stamp FileWatcher::stampOf(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_size,
          std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

void FileWatcher::watch(const std::vector<std::filesystem::path>& files) {
  std::map<std::filesystem::path, Stamp> next;
  for (const auto& file : files) {
    if (file.empty()) continue;
    const auto known = files_.find(file);
    next.emplace(file, known != files_.end() ? known->second : stampOf(file));
  }
  files_ = std::move(next);
  follow();
}

// A file that was replaced is no longer watched; its folder still is, and tells when the next one is there.
void FileWatcher::follow() {
  QStringList wanted;
  for (const auto& [file, stamp] : files_) {
    const QString folder = text(file.parent_path().string());
    if (!wanted.contains(folder)) wanted << folder;
    if (stampOf(file).bytes >= 0) wanted << text(file.string());
  }
  for (const QString& path : watcher_.files() + watcher_.directories())
    if (!wanted.contains(path)) watcher_.removePath(path);
  for (const QString& path : std::as_const(wanted))
    if (!watcher_.files().contains(path) && !watcher_.directories().contains(path)) watcher_.addPath(path);
}

void FileWatcher::look() {
  std::vector<std::filesystem::path> changed;
  for (auto& [file, stamp] : files_) {
    const Stamp now = stampOf(file);
    if (now.bytes < 0 || now == stamp) continue;
    stamp = now;
    changed.push_back(file);
  }
  follow();
  for (const auto& file : changed) Q_EMIT written(text(file.string()));
}

}  // namespace opscope::ui
