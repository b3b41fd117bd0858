// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace opscope::cuda {

/// A shared library opened while the program runs, so that a missing one costs only what needs it. Stays open
/// as long as a copy lives. Any thread.
class Library {
 public:
  Library() = default;
  /// The first of `names` that the loader finds by itself, else the first found in one of `folders`; empty
  /// when there is none.
  static Library open(const std::vector<std::string>& names,
                      const std::vector<std::filesystem::path>& folders);

  /// A library that this process has loaded already, by its name without version: "libcupti" for
  /// libcupti.so.12. Empty when there is none.
  static Library openLoaded(const std::string& stem);

  explicit operator bool() const { return handle_ != nullptr; }
  /// The file it came from.
  const std::string& path() const { return path_; }
  /// What the loader said about the last candidate that exists but could not be loaded; else empty.
  const std::string& problem() const { return problem_; }

  /// Sets `function` to the symbol, or to null; true when it is there.
  template <typename Function>
  bool find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(address(name));
    return function != nullptr;
  }

 private:
  void* address(const char* name) const;
  std::shared_ptr<void> handle_;
  std::string path_;
  std::string problem_;
};

}  // namespace opscope::cuda
