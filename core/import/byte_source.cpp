// SPDX-License-Identifier: Apache-2.0
#include "import/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"

namespace opscope {
namespace fs = std::filesystem;
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(const fs::path& file) : file_(file) {
    std::error_code error;
    if (fs::is_directory(file, error))
      throw CannotRead(fmt::format("{} is a folder, not a trace", file.string()));
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail();
    const std::uintmax_t size = fs::file_size(file, error);
    size_ = error ? 0 : size;
  }
  ~FileSource() override { ::close(descriptor_); }

  std::size_t read(std::span<char> into) override {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, into.data(), into.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail();
    read_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
  std::uint64_t storedRead() const override { return read_; }
  std::uint64_t storedSize() const override { return std::max(size_, read_); }
  bool compressed() const override { return false; }

 private:
  [[noreturn]] void fail() const {
    throw CannotRead(fmt::format("Cannot read {}: {}", file_.string(), std::strerror(errno)));
  }

  fs::path file_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t read_ = 0;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read(std::span<char> into) override {
    const std::size_t count = bytes_.copy(into.data(), into.size(), read_);
    read_ += count;
    return count;
  }
  std::uint64_t storedRead() const override { return read_; }
  std::uint64_t storedSize() const override { return bytes_.size(); }
  bool compressed() const override { return false; }

 private:
  std::string_view bytes_;
  std::size_t read_ = 0;
};

// What stands before `rest` in the same file: the bytes that were read to see what it is.
class AfterPeek : public ByteSource {
 public:
  AfterPeek(std::string_view peeked, std::unique_ptr<ByteSource> rest)
      : peeked_(peeked), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> into) override {
    if (given_ == peeked_.size()) return rest_->read(into);
    const std::size_t count = peeked_.copy(into.data(), into.size(), given_);
    given_ += count;
    return count;
  }
  std::uint64_t storedRead() const override { return rest_->storedRead(); }
  std::uint64_t storedSize() const override { return rest_->storedSize(); }
  bool compressed() const override { return false; }

 private:
  std::string peeked_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> stored) : stored_(std::move(stored)), input_(256 << 10) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK)
      throw OutOfMemory("There is no memory for decompressing");
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> into) override {
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), 1 << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0 && !refill()) {
        if (betweenMembers_) return 0;
        throw BadInput(
            fmt::format("The compressed file ends in the middle, after {} bytes that are {} bytes of text",
                        stored_->storedRead(), text_),
            "Copy or download it again.");
      }
      if (betweenMembers_) {  // several members may follow each other in one file
        inflateReset(&stream_);
        betweenMembers_ = false;
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) betweenMembers_ = true;
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        throw BadInput(
            fmt::format("The compressed file is damaged at byte {} of it, {} bytes into its text{}{}",
                        stored_->storedRead() - stream_.avail_in, text_, stream_.msg != nullptr ? ": " : "",
                        stream_.msg != nullptr ? stream_.msg : ""),
            "Copy or download it again.");
    }
    text_ += wanted - stream_.avail_out;
    return wanted - stream_.avail_out;
  }
  std::uint64_t storedRead() const override { return stored_->storedRead(); }
  std::uint64_t storedSize() const override { return stored_->storedSize(); }
  bool compressed() const override { return true; }

 private:
  bool refill() {
    const std::size_t got = stored_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  std::unique_ptr<ByteSource> stored_;
  std::vector<char> input_;
  z_stream stream_{};
  bool betweenMembers_ = false;
  std::uint64_t text_ = 0;  // bytes of text given out
};

std::unique_ptr<ByteSource> decompressedWhereNeeded(std::unique_ptr<ByteSource> stored) {
  std::array<char, 2> first{};
  std::size_t count = 0;
  while (count < first.size()) {
    const std::size_t got = stored->read(std::span(first).subspan(count));
    if (got == 0) break;
    count += got;
  }
  const std::string_view peeked(first.data(), count);
  auto whole = std::make_unique<AfterPeek>(peeked, std::move(stored));
  if (peeked == "\x1f\x8b") return std::make_unique<GzipSource>(std::move(whole));
  return whole;
}

}  // namespace

std::unique_ptr<ByteSource> openTrace(const fs::path& file) {
  return decompressedWhereNeeded(std::make_unique<FileSource>(file));
}

std::unique_ptr<ByteSource> traceOf(std::string_view bytes) {
  return decompressedWhereNeeded(std::make_unique<MemorySource>(bytes));
}

}  // namespace opscope
