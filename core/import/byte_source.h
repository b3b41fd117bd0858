// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace opscope {

/// The bytes of a trace, from its beginning to its end. One thread.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills as much of `into` as one step gives; 0 means the end. Throws CannotRead, and BadInput for a
  /// compressed file that is damaged or ends early.
  virtual std::size_t read(std::span<char> into) = 0;
  /// How far it has come, and how far there is to go, in bytes as they are stored: what progress is a share
  /// of.
  virtual std::uint64_t storedRead() const = 0;
  virtual std::uint64_t storedSize() const = 0;
  /// Whether the text is not what is stored, so that offsets count in the text after decompression.
  virtual bool compressed() const = 0;
};

/// A file, as it is or compressed by gzip, which its first bytes tell. Throws CannotRead: missing, a folder,
/// not readable.
std::unique_ptr<ByteSource> openTrace(const std::filesystem::path& file);

/// The same of bytes in memory, which must outlive it.
std::unique_ptr<ByteSource> traceOf(std::string_view bytes);

}  // namespace opscope
