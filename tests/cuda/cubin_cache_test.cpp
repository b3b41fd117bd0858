// SPDX-License-Identifier: Apache-2.0
#include "cuda/cubin_cache.h"

#include <catch2/catch_test_macros.hpp>
#include <iterator>

#include "base/temporary_folder.h"

using namespace opscope::cuda;
using opscope::test::TemporaryFolder;

namespace {

const CompiledProgram kProgram{.cubin = {'\x7f', 'E', 'L', 'F', '\0', 'x'},
                               .loweredNames = {{"f", "f"}, {"g<float>", "_Z1gIfEvv"}}};

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

TEST_CASE("a compiled program comes back from the cache as it went in") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path() / "new" / "folder");
  CHECK_FALSE(cache.find("key").has_value());
  REQUIRE(cache.store("key", kProgram));
  REQUIRE(cache.find("key").has_value());
  CHECK(*cache.find("key") == kProgram);
  CHECK_FALSE(cache.find("other").has_value());
  // Nothing but the entry stays behind.
  const auto entries = std::filesystem::directory_iterator(folder.path() / "new" / "folder");
  CHECK(std::distance(begin(entries), end(entries)) == 1);
}

TEST_CASE("a damaged entry is no entry") {
  const TemporaryFolder folder;
  const CubinCache cache(folder.path());
  REQUIRE(cache.store("key", kProgram));
  const std::string whole = read(cache.fileOf("key"));
  SECTION("cut short anywhere") {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write(cache.fileOf("key"), whole.substr(0, size));
      CHECK_FALSE(cache.find("key").has_value());
    }
  }
  SECTION("any byte changed") {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
      write(cache.fileOf("key"), damaged);
      CHECK_FALSE(cache.find("key").has_value());
    }
  }
  SECTION("something appended") {
    write(cache.fileOf("key"), whole + "x");
    CHECK_FALSE(cache.find("key").has_value());
  }
  SECTION("and is replaced by the next store") {
    write(cache.fileOf("key"), "not a cubin");
    REQUIRE(cache.store("key", kProgram));
    CHECK(cache.find("key") == kProgram);
  }
}

TEST_CASE("a cache that cannot be written says so and nothing else") {
  const TemporaryFolder folder;
  folder.write("file", "in the way");
  const CubinCache cache(folder.path() / "file" / "cache");
  CHECK_FALSE(cache.store("key", kProgram));
  CHECK_FALSE(cache.find("key").has_value());
}

TEST_CASE("the cache lies where the user keeps caches") {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before != nullptr ? before : "";
  setenv("XDG_CACHE_HOME", "/somewhere/else", 1);
  CHECK(CubinCache::defaultFolder() == "/somewhere/else/opscope/cubin");
  setenv("XDG_CACHE_HOME", "relative", 1);  // the specification says to ignore it
  CHECK(CubinCache::defaultFolder() != "relative/opscope/cubin");
  if (before != nullptr)
    setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  else
    unsetenv("XDG_CACHE_HOME");
}
