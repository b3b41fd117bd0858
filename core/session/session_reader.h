// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "session/run.h"

namespace opscope {

/// Reads a session run by run, for whoever must not hold all of it. It stays as it was when this was made,
/// even while another program adds to it. One thread. What is damaged is found where it is read.
class SessionReader {
 public:
  /// Throws CannotRead, as readSession does.
  explicit SessionReader(const std::filesystem::path& file);
  ~SessionReader();
  SessionReader(const SessionReader&) = delete;
  SessionReader& operator=(const SessionReader&) = delete;

  /// The runs, in their order, as ids in the file's table of runs.
  const std::vector<std::int64_t>& rows() const;

  /// Is given each pass when it has been read, and returns what stands for it in the run. `begun`: the run as
  /// far as it has been read, which is what it is and who is measured; `cancelled` says already whether it
  /// was cut short, and then gets its numbers from what stands for its passes.
  using TakePass =
      std::function<std::shared_ptr<const Pass>(const Run& begun, std::shared_ptr<const Pass> pass)>;
  /// Throws CannotRead.
  std::shared_ptr<const Run> read(std::int64_t row, const TakePass& take = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opscope
