// SPDX-License-Identifier: Apache-2.0
#include "cuda/cubin_cache.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

namespace opscope::cuda {
namespace {

// A file is: magic, size of the payload, FNV-1a-64 of the payload, payload. The payload is the number of
// names, each name and lowered name with its length, and the cubin with its length. All sizes are 8 bytes,
// little endian as the machine is.
constexpr std::string_view kMagic = "opscope-cubin-1\n";
constexpr std::size_t kHeader = kMagic.size() + 16;

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

void putSize(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void putText(std::string& out, std::string_view text) {
  putSize(out, text.size());
  out.append(text);
}

/// Takes pieces from the front of a text; failed() once something was not there.
class Taker {
 public:
  explicit Taker(std::string_view rest) : rest_(rest) {}
  std::uint64_t size() {
    std::uint64_t value = 0;
    const std::string_view piece = take(sizeof value);
    if (!failed_) std::memcpy(&value, piece.data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(size()); }
  bool failed() const { return failed_; }
  bool atEnd() const { return rest_.empty(); }

 private:
  std::string_view take(std::uint64_t bytes) {
    if (failed_ || bytes > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view piece = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return piece;
  }
  std::string_view rest_;
  bool failed_ = false;
};

bool failedToWrite(const std::filesystem::path& folder, const std::string& why) {
  static std::atomic<bool> said = false;
  if (!said.exchange(true))
    spdlog::warn("Compiled kernels are not kept: {} cannot be written ({})", folder.string(), why);
  return false;
}

}  // namespace

std::filesystem::path CubinCache::defaultFolder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "opscope" / "cubin";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache" / "opscope" / "cubin";
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) / "opscope-cubin";
}

std::optional<CompiledProgram> CubinCache::find(const std::string& key) const {
  std::ifstream in(fileOf(key), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  const std::string_view all = bytes;
  if (all.size() < kHeader || !all.starts_with(kMagic)) return std::nullopt;
  Taker header(all.substr(kMagic.size(), 16));
  const std::string_view payload = all.substr(kHeader);
  if (header.size() != payload.size() || header.size() != checksum(payload)) return std::nullopt;

  CompiledProgram program;
  Taker taker(payload);
  const std::uint64_t names = taker.size();
  for (std::uint64_t i = 0; i < names && !taker.failed(); ++i) {
    const std::string_view name = taker.text();
    program.loweredNames[std::string(name)] = taker.text();
  }
  const std::string_view cubin = taker.text();
  if (taker.failed() || !taker.atEnd() || cubin.empty()) return std::nullopt;
  program.cubin.assign(cubin.begin(), cubin.end());
  return program;
}

bool CubinCache::store(const std::string& key, const CompiledProgram& program) const {
  std::string payload;
  putSize(payload, program.loweredNames.size());
  for (const auto& [name, lowered] : program.loweredNames) {
    putText(payload, name);
    putText(payload, lowered);
  }
  putText(payload, {program.cubin.data(), program.cubin.size()});

  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return failedToWrite(folder_, error.message());
  static std::atomic<unsigned> counter = 0;
  const auto temporary =
      folder_ / (key + "." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".part");
  {
    std::string header(kMagic);
    putSize(header, payload.size());
    putSize(header, checksum(payload));
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << header << payload;
    out.close();
    if (!out) {
      const std::string why = std::strerror(errno);
      std::filesystem::remove(temporary, error);
      return failedToWrite(folder_, why);
    }
  }
  std::filesystem::rename(temporary, fileOf(key), error);
  if (!error) return true;
  const std::string why = error.message();
  std::filesystem::remove(temporary, error);
  return failedToWrite(folder_, why);
}

}  // namespace opscope::cuda
